import * as z from 'zod/mini';
import {breakDown, type WindowPart} from '../src/agent/context/breakdown.ts';
import {compactionThreshold} from '../src/agent/context/sent-history.ts';
import {command} from '../src/command/command.ts';
import type {ContextWindowFacts} from '../src/command/parts.ts';
import type {Bar} from '../src/command/render/plot.ts';
import type {Result} from '../src/command/result.ts';
import {formatCount} from '../src/core/format.ts';
import {usedWindow} from '../src/core/session/compaction.ts';
import {toMessages} from '../src/core/session/read-conversation.ts';
import type {Transcript} from '../src/core/session/transcript.ts';

export default command({
	name: 'context',
	summary: 'Show what fills the context window and what can be freed',
	args: z.object({}),
	examples: ['context --json'],
	where: 'app',
	whileRunning: true,

	async run(_, {program}) {
		const {transcript, model} = program.store.getState();
		return contextResult(transcript, await program.model.contextWindow(), model);
	},
});

const labels: ReadonlyArray<readonly [part: WindowPart, label: string]> = [
	['system', 'System prompt'],
	['instructions', 'Instruction files'],
	['skills', 'Skills'],
	['tools', 'Tools'],
	['mcp', 'MCP tools'],
	['files', 'Files read'],
	['results', 'Other results'],
	['conversation', 'Conversation'],
];

/** Most tokens of a conversation that are not worth a compaction. */
const fewTokens = 4000;
/** Most tokens of descriptions of skills that are not worth a word. */
const fewOfSkills = 1000;

/** Returns what fills the context window: a bar for each part and for what is free, and what could be freed. */
export function contextResult(
	transcript: Transcript,
	{size, compactionShare, ...beginning}: ContextWindowFacts,
	model?: string,
): Result {
	const usedTokens = usedWindow(transcript);
	const {tokens, total, largest} = breakDown({...beginning, messages: toMessages(transcript), usedTokens});
	const parts = labels.map(([part, label]): Bar => [label, tokens[part]]);
	const free = size === undefined ? undefined : Math.max(0, size - total);
	const freeable = tokens.files + tokens.results + tokens.conversation;
	const sizes =
		size === undefined
			? `${formatCount(total)} tokens`
			: `${formatCount(total)} of ${formatCount(size)} tokens (${Math.round((100 * total) / size)}%)`;
	const notes = [
		...(size === undefined
			? [
					...(model
						? [
								`The context window of ${model} is unknown, so nothing is compacted in time.`,
								`Set it in tokens: \`config set windows.${model} 128000\``,
							]
						: ['Select a model to see its window: `model`']),
				]
			: []),
		`${usedTokens > 0 ? 'The sum is as last reported; its parts are' : 'No request yet: all of it is'} estimated.`,
		...(largest[0] && largest[0].tokens > fewTokens
			? [`Largest results: ${largest.map(({name, tokens: of}) => `${name} ${formatCount(of)}`).join(' · ')}`]
			: []),
		...(freeable > fewTokens ? [`/compact replaces about ${formatCount(freeable)} tokens by a summary.`] : []),
		...(tokens.skills > fewOfSkills
			? ['“disable-model-invocation: true” in a SKILL.md frees its tokens: only you start that skill.']
			: []),
		...(size === undefined
			? []
			: [`Compacted automatically at ${formatCount(compactionThreshold(size, compactionShare))} tokens.`]),
	];
	const bars: readonly Bar[] = [...parts, ...(free === undefined ? [] : [['Free', free] as const])];
	return {
		kind: 'group',
		parts: [
			{
				kind: 'plot',
				title: `Context window: ${sizes}`,
				plot: {shape: 'bars', bars, rest: 'Free'},
			},
			{kind: 'text', text: '', hint: notes.join('\n')},
		],
		data: {
			used_tokens: total,
			window_tokens: size ?? null,
			reported: usedTokens > 0,
			compacts_at_tokens: size === undefined ? null : compactionThreshold(size, compactionShare),
			parts: tokens,
			largest_results: largest.map(result => ({...result})),
		},
	};
}
