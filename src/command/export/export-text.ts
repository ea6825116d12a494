import {formatCount, formatUsd} from '../../core/format.ts';
import {wellFormedJson} from '../../core/json.ts';
import {plainRecord} from '../../core/output/recorded-output.ts';
import {redactKnown} from '../../core/secrets/redact.ts';
import type {Recorded} from '../../core/session/event.ts';
import {toMarkdown} from '../../core/session/markdown-export.ts';
import {sessionUsage} from '../../core/session/session-usage.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import type {PriceOf} from '../../core/session/usage.ts';
import type {ExportFormat} from './export-formats.ts';

type Exported = {
	readonly transcript: Transcript;
	readonly records: readonly Recorded[];
	readonly priceOf: PriceOf;
	/** When the session changed last, as ISO 8601. */
	readonly updatedAt: string;
};

/** Returns a session as text in a format. Known credentials are hidden, but for its events, which are as recorded, without styles. */
export async function exportText(format: ExportFormat, exported: Exported): Promise<string> {
	const {transcript, records, priceOf, updatedAt} = exported;
	switch (format) {
		case 'markdown':
			return redactKnown(toMarkdown(transcript));
		case 'events':
			return records.map(record => `${JSON.stringify(plainRecord(record))}\n`).join('');
		case 'json': {
			const {toJson} = await import('./json-export.ts');
			return `${wellFormedJson(toJson(transcript, {...sessionUsage(transcript, priceOf)}), 2)}\n`;
		}
		case 'html': {
			const {toHtml} = await import('./html-export.ts');
			return toHtml(transcript, factsOf(transcript, priceOf, updatedAt));
		}
		default:
			return format satisfies never;
	}
}

function factsOf(transcript: Transcript, priceOf: PriceOf, updatedAt: string) {
	const usage = sessionUsage(transcript, priceOf);
	const models = [...new Set([...transcript.usage.values()].map(({model}) => model))];
	const read = usage.total_cache_read_input_tokens;
	const tokens = `${formatCount(usage.total_input_tokens + read + usage.total_cache_creation_input_tokens)} in, ${formatCount(usage.total_output_tokens)} out`;
	return [
		['updated', updatedAt.slice(0, 16).replace('T', ' ')],
		...(models.length > 0 ? [['model', models.join(', ')] as const] : []),
		['messages', String(usage.total_message_count)],
		['tool calls', String(usage.total_tool_call_count)],
		['tokens', tokens],
		['cost', formatUsd(usage.total_cost_usd)],
	] as const;
}
