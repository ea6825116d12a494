import {spawn} from 'node:child_process';
import process from 'node:process';
import type {SessionKeeper} from '../acp/session-keeper.ts';
import type {Entries, GlobalFlags} from '../command/context.ts';
import {dispatch} from '../command/dispatch.ts';
import {globalFlags, readFlags} from '../command/flags.ts';
import {takeGlobalFlags} from '../command/global-flags.ts';
import type {Program, Surroundings} from '../command/program.ts';
import type {Replay, Result} from '../command/result.ts';
import {findCommand} from '../command/table.ts';
import {splitWords} from '../command/words.ts';
import type {OpenHosting} from '../contract/hosting.ts';
import type {Environment} from '../core/environment.ts';
import {exitStatus, reportError} from '../core/error.ts';
import {searchPath} from '../core/search-path.ts';
import type {HostClient} from '../link/host-client.ts';
import {createOpenRequests} from '../net/open-requests.ts';
import type {AttachWish} from '../store/session-slice.ts';
import {wantsLinear} from '../terminal/abilities.ts';
import type {Scheme} from '../terminal/text/style.ts';
import {drawResult, isPage, printError, printResult} from './print.ts';
import {printStream} from './print-stream.ts';
import {createTerminalQuestions} from './terminal-questions.ts';
import {createPlainNote, createWaitNote, type Wait, type WaitNote} from './wait-note.ts';

/** How a command line ended: with an exit status, or with a session for the app to open or to play. */
type ShellOutcome =
	| {readonly status: number}
	| {readonly replay: Replay}
	| {readonly attach: AttachWish & {readonly client?: HostClient}}
	| {readonly open: string; readonly profile: string | undefined; readonly insecureHttp: boolean};

type Panel = Extract<Result, {readonly kind: 'panel'}>['panel'];

type ShellSurroundings = Omit<Surroundings, 'store'>;

/** Runs `service noun verb …`: the same command as the slash line, with the shell's own questions and printing. */
export async function runShell(words: readonly string[], surroundings: ShellSurroundings): Promise<ShellOutcome> {
	const {compose, stdin, stderr, env, onInterrupt} = surroundings;
	const asked = readFlags(words, globalFlags).given;
	const json = asked.has('json');
	let note: WaitNote | undefined;
	try {
		const {flags, rest} = takeGlobalFlags(words);
		const openRequests = createOpenRequests();
		const program = await compose({
			connect: false,
			openRequests,
			diagnoses: rest[0] === 'doctor',
			accessible: asked.has('accessible'),
		});
		const abort = new AbortController();
		const {signal} = abort;
		onInterrupt(() => {
			abort.abort();
			return 'end';
		});
		const commands = await commandsFor(rest, program);
		const {command, path} = findCommand(commands.all(), rest);
		const hasYes = command.describe?.['yes'] !== undefined;
		const questions = createTerminalQuestions({stdin, stderr, json, linear: wantsLinear(env), hasYes});
		// The words may hold a secret, so the note names the command alone.
		const waiting = {command: path, waitsFor: openRequests.host};
		note = noteFor(waiting, questions.say, json, surroundings);
		const interact = note.beside(questions);
		const context = program.forCommand({ui: {interact, live: undefined}, flags, signal});
		const hosting: OpenHosting = async options => {
			const {openUserHosts} = await import('../host/user-hosts.ts');
			return await openUserHosts(surroundings, options);
		};
		const result = await dispatch(rest, {...context, program: {...context.program, commands, hosting}});
		if (result.kind === 'panel' && result.panel.show === 'editor') {
			note.end();
			const {serveEditor} = await import('../acp/serve-editor.ts');
			const logOut = async () => void (await dispatch(['logout'], context));
			const keeper = await keeperFor(result.panel, flags, {...surroundings, logOut});
			return {status: await serveEditor({...surroundings, keeper, signal}).finally(program.close)};
		}

		if (result.kind === 'panel' && (result.panel.show === 'host' || result.panel.show === 'bridge')) {
			note.end();
			await program.close();
			if (result.panel.show === 'bridge') {
				const {runBridge} = await import('../host/bridge.ts');
				return {status: await runBridge(surroundings)};
			}

			const {serveHost} = await import('../host/serve-host.ts');
			return {status: await serveHost({...surroundings, ...result.panel, json, signal})};
		}

		// A stream reads from its server until it ends.
		const isStream = result.kind === 'stream';
		await (isStream ? undefined : program.close());
		note.end();
		const scheme = await program.local.scheme();
		return await showResult(result, {...flags, scheme}, signal, surroundings).finally(
			isStream ? program.close : undefined,
		);
	} catch (error) {
		note?.end();
		const report = reportError(error);
		printError(report, stderr, {json});
		return {status: exitStatus[report.code]};
	}
}

/** Returns what keeps the sessions of an editor: this process, or a host. Throws AppError("usage") for an invalid place. */
async function keeperFor(
	{model, trust, hosted}: Extract<Panel, {readonly show: 'editor'}>,
	{profile, insecureHttp}: GlobalFlags,
	surroundings: ShellSurroundings & {readonly logOut: () => Promise<void>},
): Promise<SessionKeeper> {
	if (hosted) {
		const {keepHostedSessions} = await import('../host/hosted-keeper.ts');
		return keepHostedSessions({...surroundings, ...hosted, model});
	}

	const {keepOwnSessions} = await import('../acp/own-sessions.ts');
	return keepOwnSessions({...surroundings, flags: {model, trust, profile, insecureHttp}});
}

/** Returns the commands, with those of other names if the words begin with none of them. */
async function commandsFor([name]: readonly string[], {commands}: Program): Promise<Entries> {
	const known = commands.all();
	if (known.some(each => each.name === name || (name !== undefined && each.aliases?.includes(name)))) {
		return commands;
	}

	const {familiarNames} = await import('../command/entries/familiar-names.ts');
	const all = [...known, ...familiarNames(known)];
	return {...commands, all: () => all};
}

function noteFor(wait: Wait, say: (text: string) => void, json: boolean, {stderr, env}: ShellSurroundings): WaitNote {
	return stderr.isTTY && !wantsLinear(env) && !json ? createWaitNote(stderr, wait) : createPlainNote(say, wait);
}

/** Shows a result and waits until it ends. Throws what a stream throws. */
async function showResult(
	result: Result,
	{json, exact, profile, insecureHttp, scheme}: GlobalFlags & {readonly scheme: Scheme},
	signal: AbortSignal,
	{stdout, stderr, env}: ShellSurroundings,
): Promise<ShellOutcome> {
	if (result.kind === 'panel' && result.panel.show === 'session') {
		return {open: result.panel.id, profile, insecureHttp};
	}

	if (result.kind === 'panel' && result.panel.show === 'attach') {
		return {attach: result.panel};
	}

	if (result.kind === 'panel' && result.panel.show === 'replay') {
		return {replay: result.panel.replay};
	}

	if (result.kind === 'stream') {
		await printStream(result.batches, {stdout, stderr, signal}, {json, env});
		return {status: signal.aborted ? exitStatus.interrupted : 0};
	}

	const failure = result.kind === 'group' ? result.failure : undefined;
	if (failure) {
		printResult(result, stdout, {json, exact, env, scheme});
		printError(failure, stderr, {json});
		return {status: exitStatus[failure.code]};
	}

	if (!json && isPage(result) && (await showInPager(drawResult(result, stdout, {env, scheme}), {stdout, env}))) {
		return {status: 0};
	}

	printResult(result, stdout, {json, exact, env, scheme});
	if (result.kind === 'running') {
		await result.ended;
		// An interrupt is how it is meant to end, so nothing is printed.
		return {status: signal.aborted ? exitStatus.interrupted : 0};
	}

	return {status: 0};
}

/** The variables that a pager needs; it gets no others (SAFETY 15). */
const passedVariables =
	/^(?:BAT_\w+|COLORTERM|COLUMNS|HOME|LANG|LC_\w+|LESS\w*|LINES|LV|MORE|PATH|SYSTEMROOT|TERM|TERMINFO\w*|USER|USERPROFILE)$/;

/** Returns the pager with its arguments, to run without a shell; undefined if the user wants none. */
export function pagerOf(env: Environment): readonly [program: string, ...args: string[]] | undefined {
	const [program, ...args] = splitWords(env['PAGER'] ?? 'less -FRX');
	return program === undefined || program === 'cat' ? undefined : [program, ...args];
}

/**
 * Shows text in the user's pager if it is longer than the window of a terminal. Returns false if it was not shown: for a
 * pipe, for text that fits, line by line, or if the pager doesn't start.
 */
export async function showInPager(
	text: string,
	{stdout, env}: {readonly stdout: {readonly isTTY?: boolean; readonly rows?: number}; readonly env: Environment},
): Promise<boolean> {
	const pager = pagerOf(env);
	if (!stdout.isTTY || !pager || wantsLinear(env) || text.split('\n').length <= (stdout.rows || 24)) {
		return false;
	}

	const [program, ...args] = pager;
	const kept = Object.fromEntries(Object.entries(env).filter(([name]) => passedVariables.test(name)));
	const child = spawn(program, args, {
		stdio: ['pipe', 'inherit', 'inherit'],
		env: {LESS: 'FRX', ...kept, PATH: searchPath(env['PATH'] ?? '')},
	});
	// Ctrl+C is the pager's own key.
	const ignore = () => undefined;
	process.on('SIGINT', ignore);
	// A pager that quits before the end closes the pipe.
	child.stdin.on('error', ignore).end(text);
	return new Promise<boolean>(resolve => {
		child.on('error', () => resolve(false));
		child.on('close', () => resolve(true));
	}).finally(() => process.off('SIGINT', ignore));
}
