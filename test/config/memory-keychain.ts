import type {Keychain} from '../../src/config/keychain.ts';
import {AppError} from '../../src/core/error.ts';

/** A keychain in memory. `fault` makes every call fail as long as it is set. */
export function memoryKeychain() {
	const entries = new Map<string, string>();
	const calls: string[] = [];
	const state: {fault: string | undefined} = {fault: undefined};
	const call = (name: string) => {
		calls.push(name);
		if (state.fault) {
			throw new AppError('failed', state.fault);
		}
	};
	const keychain: Keychain = {
		async get(entry) {
			call('get');
			return entries.get(entry);
		},
		async set(entry, text) {
			call('set');
			entries.set(entry, text);
		},
		async remove(entry) {
			call('remove');
			entries.delete(entry);
		},
	};
	return {keychain, entries, calls, state};
}
