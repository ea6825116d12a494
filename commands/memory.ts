import {join, resolve} from 'node:path';
import * as z from 'zod/mini';
import {isInstruction} from '../src/agent/project/instruction-text.ts';
import {locationOf, type ProjectState} from '../src/agent/project/project.ts';
import {instructionNames} from '../src/agent/project/project-files.ts';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {unchanged} from '../src/command/result.ts';
import {AppError} from '../src/core/error.ts';
import {onlyMatch} from '../src/core/only-match.ts';

const show = command({
	name: 'show',
	summary: 'Show the instruction files in effect, with their tokens',
	args: z.object({}),
	whileRunning: true,

	async run(_, {program}) {
		const {memoryTable} = await import('../src/command/views/project/memory-view.ts');
		return memoryTable(await program.project.files.state());
	},
});

const edit = command({
	name: 'edit',
	summary: 'Open an instruction file in your editor',
	args: z.object({file: z.optional(z.string())}),
	positional: ['file'],
	describe: {file: 'its path, a part of it, or user for your own; omit it to select one'},
	examples: ['memory edit AGENTS.md'],
	where: 'app',

	async run({file}, context) {
		const {
			program: {
				project: {files: project},
			},
			ui: {interact},
		} = context;
		const path = await chosenFile(file, await project.loadAll(), context);
		if (path === undefined) {
			return unchanged;
		}

		if (!interact.editFile) {
			return {kind: 'text', text: `An editor can't have this terminal. Edit the file yourself: ${path}`};
		}

		await interact.editFile(path);
		return {kind: 'text', text: await followEdited(path, context)};
	},
});

/** Returns the path of the file to edit, which need not exist; undefined if the user cancels. */
async function chosenFile(
	wanted: string | undefined,
	state: ProjectState,
	{program, ui: {interact}}: CommandContext,
): Promise<string | undefined> {
	const [name] = instructionNames;
	const own = join(program.project.files.places.stateFolder, name);
	const known = state.files.filter(isInstruction).map(file => locationOf(file, state));
	// Without instructions in the folder, one can be begun there.
	const ofProject = known.some(path => path !== own) || !state.isProject ? [] : [join(state.root, name)];
	const paths = [...new Set([...known, ...ofProject, own])];
	if (wanted === 'user') {
		return own;
	}

	if (wanted !== undefined) {
		const found = [
			paths.filter(path => path === resolve(program.project.folder.path(), wanted)),
			paths.filter(path => path.endsWith(wanted)),
			paths.filter(path => path.includes(wanted)),
		];
		const matches = found.find(({length}) => length > 0) ?? [];
		const hint = 'Type more of its path.';
		const path = onlyMatch(wanted, matches, {noun: 'instruction files', nameOf: each => each, hint});
		if (path === undefined) {
			throw new AppError('not-found', `No instruction file “${wanted}”.`, {hint: 'List them: `memory`'});
		}

		return path;
	}

	const choices = paths.map(path => ({id: path, label: path, ...(known.includes(path) ? {} : {detail: 'new'})}));
	return interact.choose({title: 'Edit instructions', choices});
}

/** Asks whether the edited file is used as it is now, if it has to be trusted. Returns what to say. */
async function followEdited(path: string, {program, ui: {interact}}: CommandContext): Promise<string> {
	const state = await program.project.files.load();
	const file = state.files.find(found => locationOf(found, state) === path);
	if (!file) {
		return 'There are no instructions in that file.';
	}

	if (file.standing === 'user' || file.standing === 'trusted') {
		return 'The agent follows it from the next message on.';
	}

	const {questionFor, trustDrawing} = await import('../src/command/views/project/trust-view.ts');
	if (!(await interact.confirm(questionFor([file]), undefined, trustDrawing([file], state)))) {
		return 'Not trusted as it is now, so not used.';
	}

	await program.project.files.decide(true, [file]);
	return 'The agent follows it from the next message on.';
}

const prompt = `Write AGENTS.md in the working folder: what an agent must know to work well here, for a reader who has never seen this project.

Look first: README, package or build files, CI configuration, the layout, a few typical source and test files. Then write, in 60 lines or fewer:
- the commands to build, run, lint and test, also for a single test; only commands that you have seen in a file
- the layout: which folder holds what
- conventions that a newcomer would get wrong: style, names, errors, tests
Leave out what is obvious from the code, and advice that fits any project. If AGENTS.md exists, improve it instead: correct what is wrong, keep what its authors decided.`;

/** Also `/init`, as users of other agents type it. */
export const init = command({
	name: 'init',
	summary: 'Have the agent write AGENTS.md for this folder',
	args: z.object({}),
	where: 'app',

	run(_, {ui: {live}}) {
		live?.send(prompt);
		return {kind: 'text', text: 'The agent reads the project and asks before it writes AGENTS.md.'};
	},
});

export default noun({
	name: 'memory',
	summary: 'Instructions that the agent follows',
	verbs: [show, edit, init],
	fallback: 'show',
});
