import process from 'node:process';
import {instructions} from '../agent/instructions.ts';
import type {Asker} from '../agent/model-access.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {LocalState} from './local-state.ts';

type Sources = {
	readonly loadTools: () => Promise<readonly ToolDefinition[]>;
	/** Returns the text of the instruction files in effect. */
	readonly projectInstructions: () => Promise<string | undefined>;
	/** Returns the time in milliseconds since 1970. */
	readonly now?: () => number;
};

/**
 * Returns what writes the system prompt, or that of a sub-agent with its tools. Its date stays that of the first request of
 * a session: a new one at midnight would change the beginning of every request, which vendors have in their caches.
 */
export function createSystemPrompt(
	{folder}: {readonly folder: Pick<LocalState['folder'], 'path'>},
	{loadTools, projectInstructions, now = Date.now}: Sources,
): (asker: Pick<Asker, 'session' | 'isPlanning'>, task?: readonly ToolDefinition[]) => Promise<string> {
	/** When each session began, as YYYY-MM-DD. */
	const begun = new Map<string, string>();

	return async ({session, isPlanning}, task) => {
		const date = begun.get(session) ?? new Date(now()).toISOString().slice(0, 10);
		begun.set(session, date);
		return instructions({
			workspace: folder.path(),
			date,
			platform: process.platform,
			tools: task ?? (await loadTools()),
			isTask: task !== undefined,
			project: await projectInstructions(),
			isPlanning,
		});
	};
}
