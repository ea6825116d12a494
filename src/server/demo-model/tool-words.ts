import {codeFence, longestBackticks} from '../../core/code-fence.ts';
import type {ToolAnswer} from './chat.ts';
import {label} from './words.ts';

const mostRows = 12;

/** What the demo model says after tools have answered. */
export function sayAnswers(answers: readonly ToolAnswer[]): string {
	return `${label}\n\n${answers.map(sayAnswer).join('\n')}`;
}

function sayAnswer({name, arguments: args, output}: ToolAnswer): string {
	switch (name) {
		case 'list_files':
			return sayFiles(output);
		case 'read_file':
			return sayFile(String(args['path'] ?? ''), output);
		case 'search_text':
			return sayMatches(String(args['pattern'] ?? ''), output);
		case 'environment_logs':
		case 'wait_for_log':
			return sayLog(output);
		default:
			return `A tool answered:\n\n${codeFence(output)}\n`;
	}
}

function sayFiles(output: string): string {
	const paths = output.split('\n').filter(line => line && !line.startsWith('['));
	const folders = new Map<string, number>();
	for (const path of paths) {
		const folder = path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : './';
		folders.set(folder, (folders.get(folder) ?? 0) + 1);
	}

	const rows = [...folders].sort(([, a], [, b]) => b - a);
	const shown = rows.slice(0, mostRows).map(([folder, count]) => `| ${inline(folder)} | ${count} |`);
	const more = rows.length > mostRows ? [`\nand ${rows.length - mostRows} more folders.`] : [];
	return paths.length === 0
		? `I see no files. The tool said: ${inline(output)}\n`
		: `I see **${count(paths.length, 'file')}**:\n\n| Folder | Files |\n| --- | --: |\n${[...shown, ...more].join('\n')}\n`;
}

function sayFile(path: string, output: string): string {
	const lines = output.split('\n');
	const numbered = lines.filter(line => /^\d+\t/.test(line)).map(line => line.replace(/^\d+\t/, ''));
	if (numbered.length === 0) {
		return `${inline(path)} could not be shown. The tool said: ${inline(output)}\n`;
	}

	const language = /\.(\w{1,8})$/.exec(path)?.[1] ?? '';
	const first = numbered.slice(0, mostRows);
	const what =
		numbered.length > first.length ? `The first ${first.length} of ${count(numbered.length, 'line')}` : 'All';
	return `${what} of ${inline(path)}:\n\n${codeFence(first.join('\n'), language)}\n`;
}

function sayMatches(pattern: string, output: string): string {
	const found = output.split('\n').flatMap(line => {
		const [, place, text] = /^(.+?:\d+):(.*)$/.exec(line) ?? [];
		return place && text !== undefined ? [`- ${inline(place)} ${inline(text.trim().slice(0, 100))}`] : [];
	});
	const more = found.length > mostRows ? [`- and ${found.length - mostRows} more`] : [];
	return found.length === 0
		? `Nothing was found for ${inline(pattern)}. The tool said: ${inline(output)}\n`
		: `I found ${inline(pattern)} in **${count(found.length, 'line')}**:\n\n${[...found.slice(0, mostRows), ...more].join('\n')}\n`;
}

/** What was said of a log as a sentence, and the last of its lines, which come in a fence. */
function sayLog(output: string): string {
	const lines = output.split('\n');
	const numbered = lines.filter(line => /^\d+\t/.test(line)).map(line => line.replace('\t', '  '));
	const [first = ''] = lines;
	return numbered.length === 0
		? `I see no lines. The tool said: ${inline(first)}\n`
		: `${inline(first)}\n\nThe last of its lines:\n\n${codeFence(numbered.slice(-mostRows).join('\n'), 'log')}\n`;
}

function count(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Text as inline code, on one line, whatever backticks it holds (CommonMark 0.31, section 6.1). */
function inline(text: string): string {
	const line = text.replace(/\s+/g, ' ').replaceAll('|', '¦').slice(0, 300);
	const fence = '`'.repeat(longestBackticks(line) + 1);
	return line.includes('`') ? `${fence} ${line} ${fence}` : `\`${line || ' '}\``;
}
