import {workerData} from 'node:worker_threads';
import {run} from './run.ts';

/** Baked in by the build: the chunk of `src/server/run/worker.ts`. */
declare const WORKER_CHUNK: string;

run(__filename, {chunk: WORKER_CHUNK, cache: workerData?.codeCache, way: 'worker'});
