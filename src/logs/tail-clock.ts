import {type RetryClock, systemClock} from '../net/retry.ts';

/** Time and randomness, so that a test can set both; `now` is in milliseconds since the epoch. */
export type TailClock = RetryClock & {readonly now: () => number};

/** The system clock. */
export const systemTailClock: TailClock = {...systemClock, now: Date.now};
