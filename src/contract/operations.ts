import {endpoints} from './endpoints.ts';
import {extensions} from './extensions.ts';

/** Everything that our server offers and the client can ask: the specification, then our extensions of it. */
export const operations = {...endpoints, ...extensions} as const;

export type OperationId = keyof typeof operations;
