import process from 'node:process';
import {cacheFolder, run, wayOf} from './run.ts';

/** Baked in by the build: the chunk of `src/main.tsx`. */
declare const SERVICE_CHUNK: string;

run(__filename, {chunk: SERVICE_CHUNK, cache: cacheFolder(process.env), way: wayOf(process.argv.slice(2))});
