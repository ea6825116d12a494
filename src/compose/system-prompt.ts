import process from 'node:process';
import {instructions} from '../agent/instructions.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

type Sources = {
	readonly loadTools: () => Promise<readonly ToolDefinition[]>;
	/** Returns the text of the instruction files in effect. */
	readonly projectInstructions: () => Promise<string | undefined>;
	/** Returns the time in milliseconds since 1970. */
	readonly now?: () => number;
};

/**
 * Returns what writes the system prompt, or that of a sub-agent with its tools. Its date stays that of the first request of a session: a new one at midnight would
 * change the beginning of every request, which vendors have in their caches.
 */
export function createSystemPrompt(
	{store}: Pick<ProgramOptions, 'store'>,
	{folder}: {readonly folder: Pick<LocalState['folder'], 'path'>},
	{loadTools, projectInstructions, now = Date.now}: Sources,
): (task?: readonly ToolDefinition[]) => Promise<string> {
	let begun: {readonly session: string; readonly date: string} | undefined;

	return async task => {
		const {transcript, approvalMode} = store.getState();
		const {session} = transcript;
		begun = begun?.session === session ? begun : {session, date: new Date(now()).toISOString().slice(0, 10)};
		return instructions({
			workspace: folder.path(),
			date: begun.date,
			platform: process.platform,
			tools: task ?? (await loadTools()),
			isTask: task !== undefined,
			project: await projectInstructions(),
			isPlanning: approvalMode === 'plan',
		});
	};
}
