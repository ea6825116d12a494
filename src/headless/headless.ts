import {openFolder, unusedFiles} from '../command/before-run.ts';
import {closest} from '../command/closest.ts';
import {isNoun} from '../command/context.ts';
import type {Invocation} from '../command/invocation.ts';
import {commandName} from '../command/line.ts';
import {isCommandLine} from '../command/line-kind.ts';
import type {Program, Surroundings} from '../command/program.ts';
import {findCommand} from '../command/table.ts';
import {othersNote} from '../command/views/other-sessions.ts';
import {abortable} from '../core/abortable.ts';
import {nameCommands} from '../core/command-words.ts';
import {AppError, exitStatus, reportError} from '../core/error.ts';
import {refuseElsewhere} from '../session/resume-session.ts';
import {wantsLinear} from '../terminal/abilities.ts';
import {createLosses, type Losses} from './losses.ts';
import {runOnce} from './once.ts';
import {printError, printJson} from './print.ts';
import {readInput} from './read-input.ts';
import {resultIn, resultWithoutRun} from './result-object.ts';
import {createRunProgress, type RunProgress} from './run-progress.ts';

/** The default limit of model calls without a screen, where nobody sees what they cost. */
const defaultMaxTurns = 100;

type Once = Extract<Invocation, {mode: 'once'}>;

type Streams = Pick<Parameters<typeof runOnce>[2], 'stdout' | 'stderr'> & {
	readonly stdin: Parameters<typeof readInput>[0];
	/** Aborts when the user interrupts, even while the program starts. */
	readonly signal: AbortSignal;
};

type Reporting = {readonly losses: Losses; readonly progress: RunProgress};

/**
 * Runs `service -p`: one prompt from the flag and standard input. Returns the exit status. If the run can't start, the error
 * is printed to standard error, and to standard output as the result that programs wait for.
 */
export async function runHeadless(
	once: Once,
	surroundings: Pick<Surroundings, 'store' | 'compose'> & Partial<Pick<Surroundings, 'env'>> & Streams,
): Promise<number> {
	const {store, compose, stdin, stdout, stderr, signal} = surroundings;
	const isDrawn = stderr.isTTY && !once.format.startsWith('stream') && !wantsLinear(surroundings.env ?? {});
	const progress = createRunProgress(isDrawn ? stderr : {write: () => true});
	const losses = createLosses(stderr, progress.clear);
	try {
		progress.show('Reading stdin');
		const piped = await abortable(
			readInput(stdin, {
				optional: once.prompt !== undefined,
				mode: once.stdin,
				warn: losses.warn,
				doubt: losses.doubt,
				onWait: () =>
					isDrawn || losses.note('Still waiting for stdin to end. Press Ctrl+C to cancel, or pass --stdin ignore.'),
			}),
			signal,
		);
		progress.show('Waiting for the model');
		const program = await abortable(compose({...once, maxTurns: once.maxTurns ?? defaultMaxTurns}), signal);
		await warnBefore(program, once, {losses, signal});
		// The command line names one, or the journal of the session that is continued.
		if (store.getState().agent && once.maxTurns !== undefined) {
			throw new AppError('usage', "--max-turns can't limit another agent, which doesn't say where a turn ends.", {
				hint: 'Leave it out, or limit what the run may cost with --budget.',
			});
		}

		const message = await abortable(messageOf(once, piped, program, losses), signal);
		await abortable(program.model.choose(), signal);
		await abortable(program.prompts.checkMedia(message.mentionsIn ?? message.prompt), signal);
		// The user can't be asked, and a model has no use for a key.
		const isMasked = once.approve !== 'all' && (await abortable(program.local.secrets.find(message.prompt), signal));
		signal.throwIfAborted();
		signal.addEventListener('abort', () => program.session.conversation.interrupt());
		if (isMasked) {
			losses.warn('The prompt contains an API key; the model gets it masked. Send it unmasked with --approve all.');
		}

		const {hide} = program.local.secrets;
		const masked = {prompt: hide(message.prompt), mentionsIn: message.mentionsIn && hide(message.mentionsIn)};
		const {prompt, mentionsIn} = isMasked ? masked : message;
		return await runOnce(prompt, once.format, {
			store,
			stdout,
			stderr,
			losses,
			progress,
			signal,
			mentionsIn,
			conversation: program.session.conversation,
			onRecord: program.session.onRecord,
			priceOf: program.models.loadPrices,
			isStrict: once.strict === true,
			async settleJobs() {
				const jobs = program.session.jobs();
				if (jobs.length > 0) {
					const {settleJobs} = await import('./settle-jobs.ts');
					await settleJobs(jobs, {waits: once.waitJobs === true, losses, progress, signal});
				}
			},
			finish: () => endTraces(program, losses),
		});
	} catch (error) {
		progress.end();
		const report = reportError(error);
		printError(report, stderr, {json: false});
		if (once.format !== 'text') {
			printJson(resultIn(once.format, resultWithoutRun(report, losses)), stdout);
		}

		return exitStatus[report.code];
	}
}

/** Reports what the user must know before the run, of the program, the session that it resumes and the folder. */
async function warnBefore(
	program: Program,
	{resume}: Once,
	{losses, signal}: Pick<Reporting, 'losses'> & Pick<Streams, 'signal'>,
): Promise<void> {
	for (const warning of program.warnings()) {
		losses.warn(warning);
	}

	if (resume) {
		for (const notice of (await program.session.resume(resume, refuseElsewhere)) ?? []) {
			losses.warn(nameCommands(notice, 'shell'));
		}
	}

	await openFolder(program.project.folder, losses.note);
	const others = await (await program.session.agents()).others();
	if (others.length > 0) {
		losses.note(othersNote(others));
	}

	for (const warning of await abortable(unusedFiles(program.project.files), signal)) {
		losses.warn(warning);
	}
}

/**
 * Returns the message of the prompt and what was piped in. What is piped in is data, never a command; beside a prompt it
 * mentions nothing either.
 */
async function messageOf(
	{prompt = '', isVerbatim}: Once,
	piped: string,
	program: Program,
	losses: Losses,
): Promise<{readonly prompt: string; readonly mentionsIn?: string}> {
	const data = piped.trimEnd();
	const instruction = isVerbatim ? prompt : await slashPrompt(prompt, program, losses.warn);
	if (!data.trim()) {
		return {prompt: instruction};
	}

	return instruction.trim() ? {prompt: `${instruction}\n\n${data}`, mentionsIn: instruction} : {prompt: data};
}

/** Sends the traces that wait, and warns about those that were not sent. */
async function endTraces(program: Program, losses: Losses): Promise<void> {
	const unsent = await program.endTraces();
	if (unsent) {
		losses.warn(`Traces: ${unsent}`);
	}
}

/** What a refusal of a prompt that begins with a slash ends with. */
const sendAsText = 'To send it as it is, put -- before it: `$ -p -- "/…"`';

/**
 * Returns the message of a prompt that begins with a slash and names a prompt file or a skill; any other prompt as it is.
 * Throws AppError("usage") for other commands, which a model can't run, for unknown ones, and what the prompt file throws.
 */
async function slashPrompt(prompt: string, program: Program, warn: (text: string) => void): Promise<string> {
	const name = isCommandLine(prompt) ? commandName(prompt) : '';
	if (!name) {
		return prompt;
	}

	for (const sentence of await program.commands.refresh()) {
		warn(sentence);
	}

	const entry = program.commands.all().find(each => each.name === name);
	if (entry && !isNoun(entry) && entry.textFor) {
		return entry.textFor(
			prompt
				.trim()
				.slice(name.length + 1)
				.trim(),
		);
	}

	const prompts = program.commands.all().flatMap(each => (!isNoun(each) && each.textFor ? [each.name] : []));
	const near = entry ? undefined : closest(name.toLowerCase(), prompts);
	if (near) {
		throw new AppError('usage', `Unknown command “${name}”.`, {hint: `Did you mean “/${near}”? ${sendAsText}`});
	}

	const {path, command} = knownCommand(program.commands.all(), name);
	throw new AppError('usage', `/${name} is a command, not a prompt.`, {
		hint: command.where === 'app' ? `Start the app with \`$\`, then type /${name}.` : `Run \`$ ${path}\` without -p.`,
	});
}

/** Finds a command. Throws AppError("usage"), with the way to send its line as text, for an unknown one. */
function knownCommand(entries: Parameters<typeof findCommand>[0], name: string) {
	try {
		return findCommand(entries, [name]);
	} catch (error) {
		if (error instanceof AppError && error.code === 'usage') {
			throw new AppError('usage', error.message, {hint: [error.hint, sendAsText].filter(Boolean).join(' ')});
		}

		throw error;
	}
}
