import type { ComponentChildren } from "preact";
import { Plain } from "./text.tsx";

/** A part that may be wider or higher than its place: keyboards scroll it too. */
export function Scroll({
  label,
  children,
  kind = "scroll",
}: {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly kind?: string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
    <section class={kind} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** Text from outside as it is, line by line. */
export const Block = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <Scroll label={label} kind="content">
    <pre>
      <Plain text={text} />
    </pre>
  </Scroll>
);
