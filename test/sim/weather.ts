/** What is wrong with the world just now, beside processes that die. Shares are of calls. */
export interface Weather {
  /** The connection breaks at a call, before or after it took effect. */
  cutShare: number;
  /** The database sees two transactions in each other's way and ends one. */
  conflictShare: number;
  /** A call takes hundreds of milliseconds instead of a few. */
  slowShare: number;
  newsLostShare: number;
  newsTwiceShare: number;
  /** Nobody can reach the database. */
  databaseDown: boolean;
  /** Services that refuse to be called. */
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

/** Nothing goes wrong any more: from now on everything has to settle. */
export function clearUp(weather: Weather): void {
  weather.servicesDown.clear();
  Object.assign(weather, { ...fineWeather(), servicesDown: weather.servicesDown });
}
