import {readLeniently} from '../../contract/lenient.ts';
import {environmentSchema} from '../../contract/resources/environment.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json} from '../../core/json.ts';
import {expandedText, setComposerText} from '../../editor/editor.ts';
import {renewedLogSource} from '../../platform/log-source.ts';
import type {PlatformSession} from '../../platform/platform-session.ts';
import {wantsLinear} from '../../terminal/abilities.ts';
import type {CommandContext, LiveSession} from '../context.ts';
import {inWords} from '../render/facts.ts';
import {titleOfTask} from './followed-log.ts';

type Made = {
	/** The environment as the server told of it, without its token (SAFETY 8). */
	readonly environment: Json;
	readonly session: Pick<PlatformSession, 'server' | 'profile' | 'logOf'>;
	readonly live: LiveSession;
};

/** States in which there is nothing to be done any more. */
const over: readonly unknown[] = ['failed', 'torn_down'];

/**
 * What the app does with a new sandbox: follows its log from the first line on, counts down to its end, and puts what is
 * to be done in it into the prompt, where the person can change it or send it to the agent. Never throws for what the
 * server says: the sandbox is there.
 */
export async function beginWork({environment, session, live}: Made, context: CommandContext): Promise<void> {
	const {id, state, task_ref: task, expires_at, ...made} = readLeniently(environmentSchema, environment) ?? {};
	const {server, profile} = session;
	if (!id) {
		return;
	}

	const expiresAt = Date.parse(expires_at ?? '');
	if (expiresAt > Date.now()) {
		context.expiry.follow({environment: id, server, task: task ?? 'a task', expiresAt});
	}

	try {
		const log = {
			environment: id,
			server,
			profile,
			title: titleOfTask(task),
			source: renewedLogSource(id, session, context.platform),
			sinceStart: true,
			follow: false,
		};
		await live.followLog(log, context.signal);
	} catch (error) {
		if (!(error instanceof AppError)) {
			throw error;
		}

		context.interact.say(`Its log cannot be shown: ${error.message}`);
	}

	const instruction = made.instruction?.trim();
	if (instruction && !over.includes(state)) {
		offer(promptOf(id, instruction, made.service_urls ?? {}), context);
	}
}

/** Fills the prompt where nothing stands in it yet. Without a screen it is not seen there, and an empty line sends it. */
function offer(prompt: string, {store, env, interact}: CommandContext): void {
	const {composer, setComposer} = store.getState();
	if (expandedText(composer).trim() !== '') {
		interact.say("The prompt isn't empty, so the instruction wasn't added.");
		return;
	}

	setComposer(setComposerText(composer, prompt));
	interact.say(
		wantsLinear(env)
			? 'Press Enter to send the instruction below to the agent, or type your own message.'
			: 'Enter send to the agent · Ctrl+C clear',
	);
}

function promptOf(id: string, instruction: string, services: Readonly<Record<string, unknown>>): string {
	const urls = Object.entries(services).flatMap(([name, service]) =>
		isJsonObject(service) && service['url'] ? [`- ${name}: ${inWords(service['url'])}`] : [],
	);
	const where = urls.length > 0 ? ['Its services:', ...urls].join('\n') : '';
	// What a server wrote must not begin the prompt: with a slash it would be a command.
	const head = `This is the task in the sandbox ${id}, whose log you can read:`;
	return [head, instruction, where].filter(Boolean).join('\n\n');
}
