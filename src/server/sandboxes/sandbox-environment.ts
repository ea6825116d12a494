import {dirname, isAbsolute} from 'node:path';
import {markerName} from '../../containment/processes.ts';
import type {Environment} from '../../core/environment.ts';

/** The default PATH. */
export const standardPath = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Variables for language and time zone, which never contain secrets. */
const allowed = /^(?:LANG|LC_[A-Z]+|TZ)$/;

type Options = {
	readonly id: string;
	readonly workspace: string;
	readonly temporary: string;
	/** Variables of the task; they can't replace the ones set here. */
	readonly added: Readonly<Record<string, string>>;
};

/**
 * Returns the environment of a sandbox (SAFETY 15): an allow-list of the server's own, so that no key is passed on.
 * `node` is the one that runs the server; home and temporary folder are inside the sandbox.
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
