import {pathToFileURL} from 'node:url';
import {buildOnce} from '../../build-once.ts';

const entry = new URL('../../../src/server/sandboxes/supervisor/supervisor.ts', import.meta.url);

/** The supervisor built from the sources. */
export const supervisor = pathToFileURL(await buildOnce('supervisor', entry));
