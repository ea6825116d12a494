import {workerData} from 'node:worker_threads';
import {run} from './run.ts';

/** Baked in by the build: the chunk of `src/server/run/worker.ts`. */
declare const WORKER_CHUNK: string;

const {codeCache: cache, chunk: expected} = workerData ?? {};
run(__filename, {chunk: WORKER_CHUNK, expected, cache, way: 'worker'});
