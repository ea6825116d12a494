import {formatAmount} from '../../core/format.ts';
import {redactKnown} from '../../core/secrets/redact.ts';
import {redactPositions} from '../../core/secrets/redact-positions.ts';
import type {CallDraft} from '../../core/session/call-draft.ts';
import {callVerb, callWords} from '../../core/session/call-words.ts';
import type {PartialArguments} from '../../core/session/partial-arguments.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {runningSign, type ToolStyle} from './tool-lines.ts';

/** Lines of a long text that are shown below its call. */
const maxTail = 3;

/** Returns the lines of a call that the model is still writing: what it will do, and the end of what it will write. */
export function draftLines({name, arguments: args}: CallDraft, {width, palette, now}: ToolStyle): readonly string[] {
	const {lines} = args;
	const {texts, tail} = withoutOpenWord(args);
	const words = callWords(name, texts);
	const verb = callVerb(name);
	// Until the arguments fit, the words are the name and the raw arguments.
	const subject = words.verb === verb ? words.subject : '';
	const head = `${palette.accent(runningSign(now))} ${palette.label(safeLine(verb))}`;
	const about = subject && ` ${safeLine(redactPositions(redactKnown(subject)))}`;
	const end = palette.dim(lines > 0 ? ` … ${formatAmount(lines, 'line')}` : ' …');
	const room = Math.max(0, width - lineWidth(head + end));
	const last = lines === 0 || tail === '' ? [] : redactKnown(tail).replace(/\n$/, '').split('\n').slice(-maxTail);
	return [`${head}${truncate(about, room)}${end}`, ...last.map(line => palette.dim(`  ${safeLine(line)}`))].map(line =>
		truncate(line, width),
	);
}

/**
 * Leaves out the word that is being written: a credential is recognized, and masked, only when it is whole. It would flicker
 * otherwise, and be legible until its last character.
 */
function withoutOpenWord({
	texts,
	tail,
	scan: {within, key},
}: PartialArguments): Pick<PartialArguments, 'texts' | 'tail'> {
	if (within !== 'value') {
		return {texts, tail};
	}

	const open = texts[key];
	return open === undefined
		? {texts, tail: tail.replace(/\S+$/, '')}
		: {texts: {...texts, [key]: open.replace(/\S+$/, '').trimEnd()}, tail};
}
