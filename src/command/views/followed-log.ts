import type {Sighting} from '../../config/sightings.ts';
import type {LogToFollow} from '../../logs/log-to-follow.ts';
import {renewedLogSource} from '../../platform/log-source.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';

type Options = Pick<LogToFollow, 'environment' | 'follow' | 'sinceStart' | 'patterns' | 'minLevel' | 'frames'>;

/**
 * Returns the log of an environment for the app, which follows it under the conversation. It is read once first, so that an
 * invalid id opens nothing. Throws as `PlatformAccess.open` and `LogSource` do.
 */
export async function followedLog(
	options: Options,
	{
		program: {
			servers: {platform},
			local: {sightings},
		},
		signal,
	}: CommandContext,
): Promise<Result> {
	const session = await platform.open();
	const {server, profile} = session;
	const {environmentId: environment} = await session.environment(options.environment, signal);
	const source = renewedLogSource(environment, session, platform);
	await source({}, signal);
	const seen = await sightings.recall();
	const title = titleOfTask(seen.find(sighting => isOf(sighting, environment, server))?.shown['task_ref']);
	return {kind: 'panel', panel: {show: 'log', log: {...options, environment, server, profile, title, source}}};
}

function isOf({kind, id, server}: Sighting, environment: string, at: string): boolean {
	return kind === 'environment' && server === at && id.toLowerCase() === environment.toLowerCase();
}

/** Returns the title of a task's log, `web-shop` for `acme/web-shop@2`; undefined for an invalid reference. */
export function titleOfTask(task: unknown): string | undefined {
	return typeof task === 'string' ? task.replace(/^.*\//, '').replace(/@.*$/, '') || undefined : undefined;
}
