import {codeFence} from '../../core/code-fence.ts';
import {formatAmount} from '../../core/format.ts';
import type {ToolResult} from './chat.ts';
import {inline} from './markdown-text.ts';
import {label} from './texts.ts';

const maxRows = 12;

/** Returns the demo model's message about tool results. */
export function describeResults(answers: readonly ToolResult[]): string {
	return `${label}\n\n${answers.map(describeResult).join('\n')}`;
}

function describeResult({name, arguments: args, output}: ToolResult): string {
	switch (name) {
		case 'list_files':
			return describeFiles(output);
		case 'read_file':
			return describeFile(String(args['path'] ?? ''), output);
		case 'search_text':
			return describeMatches(String(args['pattern'] ?? ''), output);
		case 'edit_file':
			return `The tool said: ${inline(output)}\n`;
		case 'environment_logs':
		case 'wait_for_log':
			return describeLog(output);
		default:
			return `A tool answered:\n\n${codeFence(output)}\n`;
	}
}

function describeFiles(output: string): string {
	const paths = output.split('\n').filter(line => line && !line.startsWith('['));
	const folders = new Map<string, number>();
	for (const path of paths) {
		const folder = path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : './';
		folders.set(folder, (folders.get(folder) ?? 0) + 1);
	}

	const rows = [...folders].sort(([, a], [, b]) => b - a);
	const shown = rows.slice(0, maxRows).map(([folder, count]) => `| ${inline(folder)} | ${count} |`);
	const more = rows.length > maxRows ? [`\nand ${formatAmount(rows.length - maxRows, 'more folder')}.`] : [];
	if (paths.length === 0) {
		return `No files found. The tool said: ${inline(output)}\n`;
	}

	const all = Number(/more of (\d+) files left out/.exec(output)?.[1] ?? paths.length);
	const rest = all > paths.length ? `. The first ${formatAmount(paths.length, 'file')}` : '';
	return `I found **${formatAmount(all, 'file')}**${rest}:\n\n| Folder | Files |\n| --- | --: |\n${[...shown, ...more].join('\n')}\n`;
}

function describeFile(path: string, output: string): string {
	const lines = output.split('\n');
	const numbered = lines.filter(line => /^\d+\t/.test(line)).map(line => line.replace(/^\d+\t/, ''));
	if (numbered.length === 0) {
		return `${inline(path)} could not be shown. The tool said: ${inline(output)}\n`;
	}

	const language = /\.(\w{1,8})$/.exec(path)?.[1] ?? '';
	const first = numbered.slice(0, maxRows);
	const what =
		numbered.length > first.length ? `The first ${first.length} of ${formatAmount(numbered.length, 'line')}` : 'All';
	return `${what} of ${inline(path)}:\n\n${codeFence(first.join('\n'), language)}\n`;
}

function describeMatches(pattern: string, output: string): string {
	const found = output.split('\n').flatMap(line => {
		const [, location, text] = /^(.+?:\d+):(.*)$/.exec(line) ?? [];
		return location && text !== undefined ? [`- ${inline(location)} ${inline(text.trim().slice(0, 100))}`] : [];
	});
	const more = found.length > maxRows ? [`- and ${found.length - maxRows} more`] : [];
	return found.length === 0
		? `I found nothing for ${inline(pattern)}. The tool said: ${inline(output)}\n`
		: `I found ${inline(pattern)} in **${formatAmount(found.length, 'line')}**:\n\n${[...found.slice(0, maxRows), ...more].join('\n')}\n`;
}

/** Returns a sentence about a log and its last lines as a code block. */
function describeLog(output: string): string {
	const lines = output.split('\n');
	const numbered = lines.filter(line => /^\d+\t/.test(line)).map(line => line.replace('\t', '  '));
	const [first = ''] = lines;
	return numbered.length === 0
		? `No lines found. The tool said: ${inline(first)}\n`
		: `${inline(first)}\n\nThe last of its lines:\n\n${codeFence(numbered.slice(-maxRows).join('\n'), 'log')}\n`;
}
