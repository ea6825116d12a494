import {randomUUID} from 'node:crypto';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {AppError} from '../core/error.ts';
import {homePath, openHome} from '../storage/home.ts';
import type {ProgramOptions} from './program-options.ts';

/**
 * Opens the state folder for a command that must run without one, too. Returns the options; if it can't be opened, with an
 * environment whose state folder doesn't exist, and with what is wrong.
 */
export function withAbsentHome(options: ProgramOptions): ProgramOptions {
	const {env} = options;
	let path: string | undefined;
	try {
		path = homePath(env);
		openHome(env);
		return options;
	} catch (error) {
		if (!(error instanceof AppError)) {
			throw error;
		}

		const absent = join(tmpdir(), `service-${randomUUID()}`);
		// A user without a home folder has none that could be searched.
		const own = path === undefined ? {HOME: absent} : {};
		return {...options, env: {...env, ...own, SERVICE_HOME: absent}, homeFault: {path, error}};
	}
}
