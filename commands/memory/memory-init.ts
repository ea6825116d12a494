import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

const prompt = `Write AGENTS.md in the working folder: what an agent must know to work well here, for a reader who has never seen this project.

Look first: README, package or build files, CI configuration, the layout, a few typical source and test files. Then write, in 60 lines or fewer:
- the commands to build, run, lint and test, also for a single test; only commands that you have seen in a file
- the layout: which folder holds what
- conventions that a newcomer would get wrong: style, names, errors, tests
Leave out what is obvious from the code, and advice that fits any project. If AGENTS.md exists, improve it instead: correct what is wrong, keep what its authors decided.`;

export default command({
	name: 'init',
	summary: 'Have the agent write AGENTS.md for this folder',
	args: z.object({}),
	where: 'app',

	run(_, {ui: {live}}) {
		live?.send(prompt);
		return {kind: 'text', text: 'The agent reads the project and asks before it writes AGENTS.md.'};
	},
});
