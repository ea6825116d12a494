import {dispatch} from '../command/dispatch.ts';
import {takeGlobalFlags} from '../command/global-flags.ts';
import type {Surroundings} from '../command/program.ts';
import {findCommand} from '../command/table.ts';
import {exitStatus, reportError} from '../core/error.ts';
import {wantsLinear} from '../terminal/abilities.ts';
import {showInPager} from './pager.ts';
import {drawResult, isPage, printError, printResult} from './print.ts';
import {printStream} from './print-stream.ts';
import {createTerminalQuestions} from './terminal-questions.ts';
import {createPlainNote, createWaitNote, type WaitNote} from './wait-note.ts';

/** How a command line ended: with an exit status, or with a session that the app is to open. */
export type ShellOutcome =
	| {readonly status: number}
	| {readonly open: string; readonly profile: string | undefined; readonly insecureHttp: boolean};

/** Runs `service noun verb …`: the same file as the slash line, with the shell's own questions and printing. */
export async function runShell(
	words: readonly string[],
	{
		compose,
		env,
		stdin,
		stdout,
		stderr,
		onInterrupt,
	}: Omit<Surroundings<'contextFor' | 'close' | 'entries'>, 'store' | 'version'>,
): Promise<ShellOutcome> {
	let json = words.includes('--json');
	let note: WaitNote | undefined;
	try {
		const {flags, rest} = takeGlobalFlags(words);
		json = flags.json;
		const program = await compose({connect: false});
		const abort = new AbortController();
		onInterrupt(() => abort.abort());
		const questions = createTerminalQuestions({stdin, stderr, json});
		// The words themselves may hold a secret: the note has the name of the command alone.
		const {path} = findCommand(program.entries, rest);
		const isDrawn = stderr.isTTY && !wantsLinear(env) && !json;
		note = isDrawn ? createWaitNote(stderr, path) : createPlainNote(questions.say, path);
		const interact = note.beside(questions);
		const result = await dispatch(rest, program.contextFor({interact, live: undefined, flags, signal: abort.signal}));
		if (result.kind === 'stream') {
			note.end();
			try {
				await printStream(result.batches, {stdout, stderr, signal: abort.signal}, {json, env});
			} finally {
				await program.close();
			}

			return {status: abort.signal.aborted ? exitStatus.interrupted : 0};
		}

		await program.close();
		note.end();
		if (result.kind === 'panel' && result.panel.show === 'session') {
			return {open: result.panel.id, profile: flags.profile, insecureHttp: flags.insecureHttp};
		}

		if (!json && isPage(result) && (await showInPager(drawResult(result, stdout, {env}), {stdout, env}))) {
			return {status: 0};
		}

		printResult(result, stdout, {json, exact: flags.exact, env});
		if (result.kind === 'running') {
			await result.ended;
			// To be interrupted is how it is meant to end, so that nothing needs to be said of it.
			return {status: abort.signal.aborted ? exitStatus.interrupted : 0};
		}

		return {status: 0};
	} catch (error) {
		note?.end();
		const report = reportError(error);
		printError(report, stderr, {json});
		return {status: exitStatus[report.code]};
	}
}
