import type {Block} from './block.ts';
import {blocksOf, type Transcript} from './transcript.ts';
import {contextTokens, type PriceOf, type SessionUsage, sumUsage, totalCost} from './usage.ts';

/** Derives a session's usage from its transcript. Zeros if nothing was used, null for unknown costs. */
export function sessionUsage(transcript: Transcript, priceOf: PriceOf): SessionUsage {
	const blocks = blocksOf(transcript);
	const all = [...transcript.usage.values()];
	const current = all.filter(message => message.current);
	const now = sumUsage(current);
	const total = sumUsage(all);
	const last = all.findLast(({cause}) => cause !== 'task');
	const era = blocks.slice(transcript.eraStart);
	return {
		compaction_count: transcript.compactions,
		current_cache_creation_input_tokens: now.cacheWrite,
		current_cache_read_input_tokens: now.cacheRead,
		current_cost_usd: totalCost(current, priceOf),
		current_input_tokens: now.input,
		current_message_count: countMessages(era),
		current_output_tokens: now.output,
		current_tool_call_count: countTools(era),
		last_generation_input_tokens: last ? contextTokens(last.usage) : null,
		total_cache_creation_input_tokens: total.cacheWrite,
		total_cache_read_input_tokens: total.cacheRead,
		total_cost_usd: totalCost(all, priceOf),
		total_input_tokens: total.input,
		total_message_count: countMessages(blocks),
		total_output_tokens: total.output,
		total_tool_call_count: countTools(blocks),
	};
}

/** Counts user messages, model messages (one for each `messageId`) and compaction summaries. */
function countMessages(blocks: readonly Block[]): number {
	const ids = new Set<string>();
	for (const block of blocks) {
		if (block.kind === 'user' || block.kind === 'compaction') {
			ids.add(block.id);
		} else if ('messageId' in block) {
			ids.add(block.messageId);
		}
	}

	return ids.size;
}

function countTools(blocks: readonly Block[]): number {
	return blocks.filter(block => block.kind === 'tool').length;
}
