import { service } from "@headway/engine";

/** A place where a stage stops until released. */
interface Gate {
  wait(at: string): Promise<void>;
}

export const gate = service("gate").as<Gate>();

export function makeGate() {
  const open: (() => void)[] = [];
  const stops = new Set<string>();
  return {
    /** Stops the next arrival at this place, and cancels an earlier stop. */
    stopAt: (place: string) => {
      stops.clear();
      stops.add(place);
    },
    /** Releases the longest waiting stage. */
    letOneGo: () => open.shift()?.(),
    stopNowhere: () => stops.clear(),
    wait: (at: string) =>
      stops.delete(at) ? new Promise<void>((resolve) => open.push(resolve)) : Promise.resolve(),
    /** Releases all waiting stages and stops no more. */
    letGo: () => {
      stops.clear();
      for (const go of open.splice(0)) go();
    },
  };
}
