/** Current faults of the world, besides dying processes. Shares are of calls. */
export interface Weather {
  /** The connection breaks at a call, before or after the effect. */
  cutShare: number;
  /** The database aborts a commit with a deadlock. */
  conflictShare: number;
  /** A call takes hundreds of milliseconds instead of a few. */
  slowShare: number;
  newsLostShare: number;
  newsTwiceShare: number;
  /** The database is unreachable. */
  databaseDown: boolean;
  /** Services refusing calls. */
  readonly servicesDown: Set<string>;
}

export const fineWeather = (): Weather => ({
  cutShare: 0,
  conflictShare: 0,
  slowShare: 0.02,
  newsLostShare: 0,
  newsTwiceShare: 0,
  databaseDown: false,
  servicesDown: new Set(),
});

/** Ends all faults: from now on everything has to settle. */
export function clearUp(weather: Weather): void {
  weather.servicesDown.clear();
  Object.assign(weather, { ...fineWeather(), servicesDown: weather.servicesDown });
}
