import {longestBackticks} from '../../core/code-fence.ts';

/** Returns text as inline code on one line, whatever backticks it contains (CommonMark 0.31, section 6.1). */
export function inline(text: string): string {
	const line = text.replace(/\s+/g, ' ').replaceAll('|', '¦').slice(0, 300);
	const fence = '`'.repeat(longestBackticks(line) + 1);
	return line.includes('`') ? `${fence} ${line} ${fence}` : `\`${line || ' '}\``;
}
