import {dirname} from 'node:path';
import type {ToolContext} from '../../core/session/tool.ts';
import {isSecretFile} from '../policy/secret-files.ts';
import {refusal} from '../tools/refusal.ts';

/** Asks for something outside the working folder. Returns the context in which the tools read it, and nothing else. */
export async function askOutside(
	{real, shown, isFolder}: {readonly real: string; readonly shown: string; readonly isFolder: boolean},
	context: ToolContext,
): Promise<ToolContext> {
	const isSecret = !isFolder && isSecretFile(real);
	const permission = await context.approve({
		act: {kind: 'read-secret', path: real},
		summary: `Attach ${shown}? It is outside the working folder${isSecret ? ', and its name suggests secrets' : ''}.`,
		subject: `attach ${real}`,
	});
	if (!permission.allowed) {
		throw refusal('The user did not allow it.', permission.reason);
	}

	return {
		...context,
		workspace: isFolder ? real : dirname(real),
		...(isSecret && {approve: async () => ({allowed: true})}),
	};
}
