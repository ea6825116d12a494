import type {Engine} from './location.ts';

/** A statement that both engines support, or one for each of them; empty where one needs nothing. */
export type Statement = string | Readonly<Record<Engine, string>>;
