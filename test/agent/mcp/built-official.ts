import {buildOnce} from '../../build-once.ts';

/** `official-server.mjs` and the SDK in one file. */
export const official = await buildOnce('official-server', new URL('official-server.mjs', import.meta.url));
