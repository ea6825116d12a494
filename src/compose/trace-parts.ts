import {createTraces} from '../platform/traces/traces.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';
import type {Servers} from './servers.ts';

/** Creates the export of traces. */
export function createTraceParts(
	{store, env, version}: ProgramOptions,
	{config, secrets}: LocalState,
	{platform, createTransport, loadPrices}: Servers,
) {
	const openServer = platform.openConnected;
	return createTraces({store, env, version, config, secrets, openServer, createTransport, loadPrices});
}
