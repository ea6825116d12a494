import {existsSync, readdirSync} from 'node:fs';
import type {Environment} from '../core/environment.ts';
import {homeAt, homePath} from '../storage/home.ts';

/** Puts back what hand-overs changed before they were cut off. Returns what to tell the user of that. Loads nothing if none was. */
export async function putBackCutOff(env: Environment): Promise<readonly string[]> {
	const home = homeAt(homePath(env));
	if (!existsSync(home.begun) || !readdirSync(home.begun).some(name => name.endsWith('.json'))) {
		return [];
	}

	return (await import('../session/receive-session.ts')).putBackCutOff(home);
}
