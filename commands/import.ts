import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

export default command({
	name: 'import',
	summary: 'Continue conversations of Claude Code and Codex here',
	args: z.object({path: z.optional(z.string()), again: z.optional(z.boolean())}),
	positional: ['path'],
	describe: {
		path: 'a transcript (.jsonl) or a folder of them; without it, those that both keep of this folder',
		again: 'import what was imported before, as another session',
	},
	examples: ['import', 'import ~/.claude/projects', 'import ~/.codex/sessions/2026/03'],
	whileRunning: true,

	async run({path, again = false}, {program, signal}) {
		const {importResult} = await import('../src/command/views/import-view.ts');
		return importResult(await program.session.importFrom({path, again}, signal), program.project.folder.path());
	},
});
