import {randomUUID} from 'node:crypto';
import {realpathSync} from 'node:fs';
import {onTestFinished} from 'vitest';
import type {Jobs} from '../../src/agent/tools/command/jobs.ts';
import type {LoginClock} from '../../src/client/device-flow.ts';
import type {CommandContext, GlobalFlags} from '../../src/command/context.ts';
import {dispatch} from '../../src/command/dispatch.ts';
import {renderResult} from '../../src/command/render/render.ts';
import type {Result} from '../../src/command/result.ts';
import type {Keychain} from '../../src/config/keychain.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {LogToFollow} from '../../src/logs/log-to-follow.ts';
import type {Interaction} from '../../src/platform/interaction.ts';
import {compose} from '../../src/program/program.ts';
import {openHome} from '../../src/storage/home.ts';
import {createSessionAccess} from '../../src/storage/session-access.ts';
import {type AppStore, createAppStore} from '../../src/store/store.ts';
import {copyTo} from '../../src/terminal/clipboard.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {temporaryFolder} from '../storage/temporary.ts';

type Options = {
	readonly env?: Readonly<Record<string, string>>;
	readonly flags?: Partial<GlobalFlags>;
	/** The answer to each question, in order; undefined cancels. */
	readonly answers?: readonly (string | undefined)[];
	/** The folders of another context, for a second process of the same user. */
	readonly like?: TestContext;
	readonly signal?: AbortSignal;
	/** Plays the user in a browser login. */
	readonly onLogin?: (login: Parameters<Interaction['showLogin']>[0], cancel: () => void) => void;
	readonly loginClock?: LoginClock;
	/** Without a keychain, secrets stay in the file. */
	readonly keychain?: Keychain;
	/** The background jobs of the session. */
	readonly jobs?: () => Pick<Jobs, 'list'>;
};

export type TestContext = {
	readonly context: CommandContext;
	readonly store: AppStore;
	readonly home: string;
	readonly folder: string;
	/** Notes shown to the user, and questions asked. */
	readonly said: string[];
	readonly asked: unknown[];
	/** Browser logins that were shown, and when they were closed. */
	readonly shown: unknown[];
	/** Logs that the app was asked to follow. */
	readonly followed: LogToFollow[];
	/** The messages that commands sent. */
	readonly sent: string[];
	/** What went to the clipboard; longer texts than 74,000 bytes are refused. */
	readonly copied: string[];
	/** Runs a command as typed, in a shell. */
	readonly run: (...words: readonly string[]) => Promise<Result>;
	/** Runs a command as typed, in the app. */
	readonly runInApp: (...words: readonly string[]) => Promise<Result>;
};

const noFlags: GlobalFlags = {
	json: false,
	exact: false,
	insecureHttp: false,
	server: undefined,
	profile: undefined,
	org: undefined,
	workspace: undefined,
	project: undefined,
};

/** Returns the real program with its own home and folder; only the user is scripted. */
export function testContext({
	env = {},
	flags = {},
	answers = [],
	like,
	signal,
	onLogin,
	loginClock,
	keychain,
	jobs,
}: Options = {}): TestContext {
	const home = like?.home ?? temporaryFolder();
	const folder = like?.folder ?? temporaryFolder();
	const store = createAppStore();
	const said: string[] = [];
	const asked: unknown[] = [];
	const shown: unknown[] = [];
	const followed: LogToFollow[] = [];
	const sent: string[] = [];
	const copied: string[] = [];
	const waiting = [...answers];
	const answer = async (question: unknown) => {
		asked.push(question);
		return waiting.shift();
	};

	const program = compose({
		store,
		// No test leaves this machine: requests to vendors fail.
		env: {HTTPS_PROXY: 'http://127.0.0.1:1', TERM: 'xterm', ...env, SERVICE_HOME: home},
		folder,
		workerUrl: new URL('../../dist/server-worker.js', import.meta.url),
		version: '0.0.0',
		connect: false,
		...(loginClock && {loginClock}),
		...(keychain && {keychain}),
	});
	onTestFinished(() => program.close());
	const built = program.forCommand({
		flags: {...noFlags, ...flags},
		signal: signal ?? new AbortController().signal,
		ui: {
			live: undefined,
			interact: {
				ask: answer,
				// What joins the list later is there before anything is selected.
				choose: async ({more = [], choices, ...pick}) =>
					answer({...pick, choices: [...choices, ...(await Promise.all(more)).flat()]}),
				confirm: async question => (await answer(question)) === 'yes',
				say: text => said.push(text),
				copy: text => copyTo(() => copied.push(text), text, {TERM: 'xterm', ...env}),
				showLogin(login, cancel) {
					shown.push(login);
					onLogin?.(login, cancel);
					return () => shown.push('closed');
				},
			},
		},
	});
	const session = jobs ? {...built.program.session, jobs: () => jobs().list()} : built.program.session;
	const context = {...built, program: {...built.program, session}};
	const live = {
		...program.session.conversation,
		send: (text: string) => void sent.push(text),
		followLog: (log: LogToFollow) => void followed.push(log),
		closeLog: () => '',
	};
	return {
		context,
		store,
		home,
		folder,
		said,
		asked,
		shown,
		followed,
		sent,
		copied,
		run: (...words) => dispatch(words, context),
		runInApp: (...words) => dispatch(words, {...context, ui: {...context.ui, live}}),
	};
}

/** Saves a session of these events in the context's folder, as a run would. Returns its id. */
export async function saveSession(
	{home, folder}: TestContext,
	events: readonly AgentEvent[],
	at?: string,
	session: string = randomUUID(),
): Promise<string> {
	const sessions = createSessionAccess({
		home: openHome({SERVICE_HOME: home}),
		folder: realpathSync(folder),
		onState: () => undefined,
	});
	const journal = await sessions.create(session);
	for (const [seq, event] of events.entries()) {
		journal.append({v: 1, seq, at: at ?? `2026-01-01T00:00:0${seq}.000Z`, session, server: 'local', event});
	}

	await journal.close();
	return session;
}

/** Returns the result as drawn at that width, without colour. */
export function drawn(result: Result, width: number): string {
	return renderResult(result, {width, palette: createPalette({color: false})}).join('\n');
}

/** Returns the data that `--json` prints. */
export function dataOf(result: Result): unknown {
	return 'data' in result ? result.data : undefined;
}
