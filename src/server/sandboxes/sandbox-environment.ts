import {dirname, isAbsolute} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {markerName} from './containment/processes.ts';

/** Where programs are, where nobody says. */
export const standardPath = ['/usr/local/bin', '/usr/bin', '/bin'];

/** What says how to show text and time, and nothing that could be a secret. */
const allowed = /^(?:LANG|LC_[A-Z]+|TZ)$/;

type Options = {
	readonly id: string;
	readonly workspace: string;
	readonly temporary: string;
	/** What the task adds; it cannot replace what is set here. */
	readonly added: Readonly<Record<string, string>>;
};

/**
 * The environment of a sandbox (SAFETY 15): an allow-list of the server's own, so that no key is handed on. `node` is the
 * one that runs the server; home and temporary folder lie in the sandbox.
 */
export function sandboxEnvironment(env: Environment, {id, workspace, temporary, added}: Options) {
	const kept = Object.entries(env).flatMap(([name, value]) =>
		value !== undefined && allowed.test(name) ? [[name, value]] : [],
	);
	const own = (env['PATH'] ?? '').split(':').filter(isAbsolute);
	return {
		...added,
		...(Object.fromEntries(kept) as Record<string, string>),
		PATH: [...new Set([dirname(process.execPath), ...(own.length > 0 ? own : standardPath)])].join(':'),
		HOME: workspace,
		TMPDIR: temporary,
		[markerName]: id,
	};
}
