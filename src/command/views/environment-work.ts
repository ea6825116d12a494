import type {Sighting} from '../../config/sightings.ts';
import {readLeniently} from '../../contract/lenient.ts';
import {environmentSchema} from '../../contract/resources/environment.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json} from '../../core/json.ts';
import type {LogToFollow} from '../../logs/log-to-follow.ts';
import {renewedLogSource} from '../../platform/log-source.ts';
import type {PlatformSession} from '../../platform/platform-session.ts';
import type {LiveSession} from '../../session/conversation.ts';
import type {CommandContext} from '../context.ts';
import {isLineByLine} from '../line-by-line.ts';
import {inWords} from '../render/facts.ts';
import type {Result} from '../result.ts';

type Made = {
	/** The server's answer without the token (SAFETY 8). */
	readonly environment: Json;
	readonly session: PlatformSession;
	readonly live: LiveSession;
};

/** The states of an environment that has ended. */
const over: readonly unknown[] = ['failed', 'torn_down'];

/**
 * Starts the work in a new sandbox: follows its log from the first line, shows the time until it expires, and offers its
 * instruction for the prompt. Never throws for an invalid answer of the server, because the sandbox exists.
 */
export async function beginWork({environment, session, live}: Made, context: CommandContext): Promise<void> {
	const {id, state, task_ref: task, expires_at, ...made} = readLeniently(environmentSchema, environment) ?? {};
	const {server, profile} = session;
	if (!id) {
		return;
	}

	const expiresAt = Date.parse(expires_at ?? '');
	if (expiresAt > Date.now()) {
		context.program.watches.expiry.follow({environment: id, server, task: task ?? 'a task', expiresAt});
	}

	try {
		const log = {
			environment: id,
			server,
			profile,
			title: titleOfTask(task),
			source: renewedLogSource(id, session, context.program.servers),
			sinceStart: true,
			follow: false,
		};
		await live.followLog(log, context.signal);
	} catch (error) {
		if (!(error instanceof AppError)) {
			throw error;
		}

		context.ui.interact.say(`Can't show its log: ${error.message}`);
	}

	const instruction = made.instruction?.trim();
	if (instruction && !over.includes(state)) {
		const {program, ui} = context;
		const label = `task of ${titleOfTask(task) ?? 'the sandbox'}`;
		program.store.setState({offered: {label, text: promptOf(id, instruction, made.service_urls ?? {})}});
		if (isLineByLine(context)) {
			ui.interact.say('Press Enter to send the instruction below to the agent, or type your own message.');
		}
	}
}

function promptOf(id: string, instruction: string, services: Readonly<Record<string, unknown>>): string {
	const urls = Object.entries(services).flatMap(([name, service]) =>
		isJsonObject(service) && service['url'] ? [`- ${name}: ${inWords(service['url'])}`] : [],
	);
	const where = urls.length > 0 ? ['Its services:', ...urls].join('\n') : '';
	// Text from a server must not start the prompt: with a slash it would be a command.
	const head = `This is the task in the sandbox ${id}, whose log you can read:`;
	return [head, instruction, where].filter(Boolean).join('\n\n');
}

type Options = Pick<LogToFollow, 'environment' | 'follow' | 'sinceStart' | 'patterns' | 'minLevel' | 'frames'>;

/**
 * Returns the log of an environment for the app, which follows it under the conversation. It is read once first, so that an
 * invalid id opens nothing. Throws as `Logins.open` and `LogSource` do.
 */
export async function followedLog(options: Options, {program, signal}: CommandContext): Promise<Result> {
	const session = await program.servers.open();
	const {server, profile} = session;
	const {environmentId: environment} = await session.environment(options.environment, signal);
	const source = renewedLogSource(environment, session, program.servers);
	await source({}, signal);
	const seen = await program.local.sightings.recall();
	const title = titleOfTask(seen.find(sighting => isOf(sighting, environment, server))?.shown['task_ref']);
	return {kind: 'panel', panel: {show: 'log', log: {...options, environment, server, profile, title, source}}};
}

function isOf({kind, id, server}: Sighting, environment: string, at: string): boolean {
	return kind === 'environment' && server === at && id.toLowerCase() === environment.toLowerCase();
}

/** Returns the title of a task's log, `web-shop` for `acme/web-shop@2`; undefined for an invalid reference. */
function titleOfTask(task: unknown): string | undefined {
	return typeof task === 'string' ? task.replace(/^.*\//, '').replace(/@.*$/, '') || undefined : undefined;
}
