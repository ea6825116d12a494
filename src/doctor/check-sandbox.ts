import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Places} from '../agent/policy/protected-places.ts';
import {findSandbox} from '../agent/sandbox/find-sandbox.ts';
import type {Environment} from '../core/environment.ts';
import {type Check, good, note} from './check.ts';

type Options = {readonly workspace: string; readonly places: Places; readonly env: Environment};

/** Starts an empty command as the agent's commands are started, to see whether they are contained here (SAFETY 15). */
export async function checkSandbox({workspace, places, env}: Options): Promise<Check> {
	const temporary = await mkdtemp(join(tmpdir(), 'service-doctor-'));
	try {
		const found = await findSandbox({workspace, places, temporary, path: env['PATH'] ?? '', hasNetwork: false});
		return found.kind === 'bubblewrap'
			? good('Sandbox', `The agent's commands run in ${found.program}${found.filter ? '' : ', without a call filter'}.`)
			: note(
					'Sandbox',
					`The agent's commands are not contained, so that each is asked for: ${found.why}`,
					'Install or allow bubblewrap, or work in a folder of its own.',
				);
	} finally {
		await rm(temporary, {recursive: true, force: true});
	}
}
