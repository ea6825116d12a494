import process from 'node:process';
import {instructions} from '../agent/instructions.ts';
import type {Asker} from '../agent/model-access.ts';
import {formatDate} from '../core/format.ts';
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
 * Returns what writes the system prompt, or that of a sub-agent with its tools. Its date stays the one on which the session
 * began, also when that is resumed: another one would change the beginning of every request, which vendors have in their
 * caches. Messages bring later dates.
 */
export function createSystemPrompt(
	{folder}: {readonly folder: Pick<LocalState['folder'], 'path'>},
	{loadTools, projectInstructions, now = Date.now}: Sources,
): (asker: Pick<Asker, 'session' | 'beganAt' | 'isPlanning'>, task?: readonly ToolDefinition[]) => Promise<string> {
	/** When each session was asked for first, as ISO 8601: it may have no record yet. */
	const begun = new Map<string, string>();

	return async ({session, beganAt, isPlanning}, task) => {
		const today = new Date(now()).toISOString();
		const date = formatDate(task ? today : (beganAt ?? begun.get(session) ?? today));
		begun.set(session, begun.get(session) ?? today);
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
