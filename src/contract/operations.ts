import {endpoints} from './endpoints.ts';
import {extensions} from './extensions.ts';

/** All operations of our server and client: those of the specification, then our extensions. */
export const operations = {...endpoints, ...extensions} as const;

export type OperationId = keyof typeof operations;
