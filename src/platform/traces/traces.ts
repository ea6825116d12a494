import type {Config} from '../../config/config.ts';
import {without} from '../../config/config-data.ts';
import {resolveProfile} from '../../config/resolve-profile.ts';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import type {Recorded} from '../../core/session/event.ts';
import {localConnection} from '../../store/connection-slice.ts';
import type {AppStore} from '../../store/store.ts';
import {otlpEndpoint} from '../../telemetry/otlp-environment.ts';
import type {QueueState, SpanQueue} from '../../telemetry/span-queue.ts';
import type {ServerFlags} from '../logins.ts';
import type {ExporterDependencies, ExporterOptions} from './trace-exporter.ts';
import {type TraceLevel, type TraceTarget, traceTarget} from './trace-target.ts';

/** What tracing does now. */
export type TraceStatus = Pick<TraceTarget, 'name' | 'level' | 'isForced'> & {
	/** The URL of an endpoint of the environment. */
	readonly url: string | undefined;
	/** What was sent there since the program started; undefined if nothing was to be. */
	readonly queue: QueueState | undefined;
};

/** The traces as one command sees them. */
export type TraceSettings = {
	/** Throws AppError("usage") if a variable of the environment is invalid. */
	readonly status: () => TraceStatus;
	/** Saves whether traces go to the current server or endpoint. Throws as `status`, and as `Config.update`. */
	readonly set: (level: TraceLevel) => Promise<TraceStatus>;
};

type Dependencies = ExporterDependencies & {
	readonly store: AppStore;
	readonly config: Config;
	readonly env: Environment;
};

export type Traces = {
	/** Returns the traces for a command: of the server that the app is connected to, or that a shell selects. */
	readonly forCommand: (command: {readonly live: boolean; readonly flags: ServerFlags}) => TraceSettings;
	/** Reads a record. Returns at once, and never throws. */
	readonly follow: (record: Recorded) => void;
	/** Sends what waits, for at most two seconds. Returns a sentence about spans that were not sent; undefined if all were. */
	readonly close: () => Promise<string | undefined>;
};

/** How long the program waits at its end for spans to be sent. */
const closeDeadlineMs = 2000;

/**
 * Creates the export of traces. Off until the user turns it on for a server or an endpoint. A run belongs to the target
 * that was current when it began.
 */
export function createTraces(dependencies: Dependencies): Traces {
	const {store, config, env} = dependencies;
	const exporters = createExporters(dependencies);
	/** The exporter of each session's current run. */
	const running = new Map<string, TraceExporter>();

	const targetAt = (server: string): TraceTarget =>
		traceTarget({env, settings: config.read().settings, server, endpoint: otlpEndpoint(env)});

	return {
		forCommand({live, flags}) {
			const selected = () => (live ? undefined : resolveProfile({data: config.read(), env, flags})?.server);
			const target = () => targetAt(serverName(store, selected()));
			return {
				status: () => exporters.statusOf(target()),
				async set(level) {
					await saveLevel(config, target(), level);
					return exporters.statusOf(target());
				},
			};
		},
		follow(record) {
			const {session, event} = record;
			if (event.type === 'run-start') {
				const target = quietly(() => targetAt(serverName(store, undefined)));
				running.delete(session);
				if (target && target.level !== 'off') {
					running.set(session, exporters.open(target));
				}
			}

			running.get(session)?.follow(record);
			if (event.type === 'run-end') {
				running.delete(session);
			}
		},
		close: exporters.close,
	};
}

/** Saves the user's consent for a target. Throws AppError("usage") if the environment decides. */
async function saveLevel(config: Config, {name, isForced}: TraceTarget, level: TraceLevel): Promise<void> {
	if (isForced) {
		throw new AppError('usage', 'SERVICE_TRACES decides this.', {hint: 'Unset it first.'});
	}

	await config.update(data => {
		const others = without(data.settings.traces ?? {}, name);
		const traces = level === 'off' ? others : {...others, [name]: level};
		return {...data, settings: {...data.settings, traces}};
	});
}

/** Creates the exporters of a program, one for each target, level and login. */
function createExporters(dependencies: Dependencies) {
	const {store} = dependencies;
	const opened = new Map<string, {readonly name: string; readonly exporter: TraceExporter}>();
	const reported = new Set<string>();

	/** Shows the first fault of each target. */
	const report = (name: string, {fault}: QueueState) => {
		if (!reported.has(name)) {
			reported.add(name);
			store.getState().setToast(`Traces not sent: ${fault ?? `too many at once for ${name}.`} See /traces`);
		}
	};

	return {
		open(target: TraceTarget): TraceExporter {
			const {name, level, endpoint} = target;
			const {profile} = store.getState().connection;
			const key = JSON.stringify([name, level, endpoint ? '' : profile]);
			const onFault = (state: QueueState) => report(name, state);
			const exporter = opened.get(key)?.exporter ?? startExporter({target, profile, onFault}, dependencies);
			opened.set(key, {name, exporter});
			return exporter;
		},
		statusOf({name, level, isForced, endpoint}: TraceTarget): TraceStatus {
			const states = [...opened.values()].filter(each => each.name === name).map(({exporter}) => exporter.state());
			return {name, level, isForced, url: endpoint?.url, queue: states.length > 0 ? states.reduce(plus) : undefined};
		},
		async close(): Promise<string | undefined> {
			const all = [...opened.values()];
			await Promise.all(all.map(({exporter}) => exporter.close(closeDeadlineMs)));
			return all.map(unsentText).find(text => text !== undefined);
		},
	};
}

/** Sends the traces of runs to one target. */
type TraceExporter = {
	readonly follow: (record: Recorded) => void;
	readonly state: () => QueueState;
	/** Sends what waits for at most so long, and drops the rest. */
	readonly close: (deadlineMs: number) => Promise<void>;
};

const nothing: QueueState = {waiting: 0, sent: 0, dropped: 0, fault: undefined};

/** Starts an exporter. It returns at once: modules, prices and the server's login are loaded beside the run. */
function startExporter(options: ExporterOptions, dependencies: ExporterDependencies): TraceExporter {
	let early: Recorded[] | undefined = [];
	let started: {readonly follow: (record: Recorded) => void; readonly queue: SpanQueue} | undefined;
	const load = async () => (await import('./trace-exporter.ts')).loadExporter(options, dependencies);
	const starting = load().then(loaded => {
		started = loaded;
		early?.forEach(loaded.follow);
		early = undefined;
	});
	// Without its parts nothing can be sent; what is wrong shows when they are loaded for something else.
	starting.catch(() => undefined);

	return {
		follow: record => (started ? started.follow(record) : void early?.push(record)),
		state: () => started?.queue.state() ?? nothing,
		async close(deadlineMs) {
			await starting.catch(() => undefined);
			await started?.queue.close(deadlineMs);
		},
	};
}

/** Returns what names the server in the settings. The embedded server has another port each time. */
function serverName(store: AppStore, selected: string | undefined): string {
	const {profile, server} = store.getState().connection;
	return selected ?? (profile === localConnection.profile ? localConnection.profile : server);
}

/** A run must go on with invalid settings; commands say what is wrong with them. */
function quietly<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}

function unsentText({name, exporter}: {readonly name: string; readonly exporter: TraceExporter}): string | undefined {
	const {dropped, fault} = exporter.state();
	const spans = dropped === 1 ? '1 span was' : `${dropped} spans were`;
	return dropped > 0 ? `${spans} not sent to ${name}: ${fault ?? 'it did not answer in time.'}` : undefined;
}

function plus(a: QueueState, b: QueueState): QueueState {
	return {
		waiting: a.waiting + b.waiting,
		sent: a.sent + b.sent,
		dropped: a.dropped + b.dropped,
		fault: b.fault ?? a.fault,
	};
}
