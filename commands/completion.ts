import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {completionScript, shells} from '../src/command/completion/completion-script.ts';

export default command({
	name: 'completion',
	summary: 'Print a script that completes service in your shell',
	args: z.object({shell: z.enum(shells, `must be one of ${shells.join(', ')}`)}),
	positional: ['shell'],
	describe: {shell: `one of ${shells.join(', ')}`},
	examples: ['completion bash >> ~/.bashrc', 'completion fish > ~/.config/fish/completions/service.fish'],
	where: 'shell',

	run({shell}) {
		const script = completionScript(shell);
		return {kind: 'lines', lines: script.trimEnd().split('\n'), data: {shell, script}};
	},
});
