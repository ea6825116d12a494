import type {Environment} from '../../../core/environment.ts';
import {AppError} from '../../../core/error.ts';
import {isRange} from '../../egress/open-ranges.ts';
import type {SandboxProvider} from '../provider.ts';
import {createDockerProvider} from './docker-provider.ts';
import {parseEngine} from './engine-address.ts';
import {createEngineClient} from './engine-client.ts';

export type EngineOptions = {
	/** `docker[=address]` */
	readonly engine: string;
	readonly image?: string | undefined;
	readonly runtime?: string | undefined;
	/** The name of a network of the engine, and ranges that tasks with single hosts reach, with commas. */
	readonly openNetwork?: string | undefined;
};

/** How long a sandbox may take to shut down, in seconds. */
const graceSeconds = 2;

/** Creates the provider of an engine, which connects when it is used first. Throws what `parseEngine` throws. */
export function openEngine({engine, openNetwork, ...options}: EngineOptions, env: Environment): SandboxProvider {
	const opened = openNetwork?.split(',').map(each => each.trim()) ?? [];
	const [name, ...others] = opened.filter(each => !isRange(each));
	if (others.length > 0) {
		throw new AppError('usage', `Docker takes one network, not “${openNetwork}”.`, {
			hint: 'Use --open-network with one name, and ranges as 10.1.0.0/16.',
		});
	}

	return createDockerProvider({
		client: createEngineClient({address: parseEngine(engine, env), env}),
		graceSeconds,
		...options,
		openNetwork: name,
		openRanges: opened.filter(isRange),
	});
}
