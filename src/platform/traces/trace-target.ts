import type {ConfigData} from '../../config/config-data.ts';
import {entryOf} from '../../core/entry-of.ts';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {originOf} from '../../core/origin.ts';
import type {OtlpEndpoint} from '../../telemetry/otlp-environment.ts';

/** Whether traces are sent: not at all, with names and numbers alone, or with texts. */
export type TraceLevel = 'off' | 'on' | 'content';

const levels: readonly TraceLevel[] = ['off', 'on', 'content'];

/** Where the traces of a run go. */
export type TraceTarget = {
	/** What the user's consent is for: the server or endpoint, with its path, `local` for the embedded server. */
	readonly name: string;
	/** An endpoint that the environment names; without it the connected server. */
	readonly endpoint?: OtlpEndpoint;
	readonly level: TraceLevel;
	/** True if `SERVICE_TRACES` decides, not what is saved. */
	readonly isForced: boolean;
};

type Options = {
	readonly env: Environment;
	readonly settings: ConfigData['settings'];
	/** The origin of the connected server, or `local`. */
	readonly server: string;
	readonly endpoint: OtlpEndpoint | undefined;
};

/**
 * Returns where traces go: to the endpoint that the environment names, else to the server. Consent is saved for each of
 * them, so that a change of the connection never sends anything to a server that the user did not choose for it. Throws
 * AppError("usage") for an unknown value of `SERVICE_TRACES`.
 */
export function traceTarget({env, settings, server, endpoint}: Options): TraceTarget {
	const name = endpoint ? originOf(endpoint.url).replace(/\/v1\/traces$/, '') : server;
	const forced = env['SERVICE_TRACES']?.trim();
	const level = forced ? levels.find(each => each === forced) : (entryOf(settings.traces ?? {}, name) ?? 'off');
	if (level === undefined) {
		throw new AppError('usage', `Invalid SERVICE_TRACES “${forced}”.`, {hint: 'Use off, on or content.'});
	}

	return {name, ...(endpoint && {endpoint}), level, isForced: Boolean(forced)};
}
