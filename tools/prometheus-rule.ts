/** An alert of Prometheus, with a history that fires it and a history that must not. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** How long the expression has to hold, in minutes. */
  readonly forMinutes: number;
  readonly severity: "info" | "warning" | "critical";
  /** One line; `$value` and `$labels` as Prometheus has them. */
  readonly summary: string;
  /** The first command to type. */
  readonly command: string;
  /** A page of `docs/operating`. */
  readonly runbook: string;
  readonly fires: History;
  readonly silent: History;
}

/** Series with a value for each minute, in promtool's notation, looked at after so many minutes. */
export interface History {
  readonly series: Readonly<Record<string, string>>;
  readonly minutes: number;
  /** Labels of the alert that is expected, without `alertname` and `severity`; for `fires` only. */
  readonly labels?: Readonly<Record<string, string>>;
}
