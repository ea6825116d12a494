import {isSecretFile} from '../../agent/policy/secret-files.ts';
import {formatAmount} from '../../core/format.ts';
import {redactKnown} from '../../core/secrets/redact.ts';
import {redactPositions} from '../../core/secrets/redact-positions.ts';
import {mask} from '../../core/secrets/secret.ts';
import type {CallDraft} from '../../core/session/call-draft.ts';
import {callVerb, callWords} from '../../core/session/call-words.ts';
import {maxTail, maxText, type PartialArguments} from '../../core/session/partial-arguments.ts';
import {maskArguments} from '../../session/mask-events.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {runningSign, type ToolStyle} from './tool-lines.ts';

/** Lines of a long text that are shown below its call. */
const shownLines = 3;

/** A line of base64, as in a private key whose beginning may be gone. */
const keyLine = /^\s*[A-Za-z0-9+/]{60,}={0,2}\s*$/gm;

/** True for a file whose whole content may be credentials, also while its name isn't known. */
function hasSecrets({path}: PartialArguments['texts']): boolean {
	return path === undefined || isSecretFile(path.replaceAll('\\', '/'));
}

/** Returns the lines of a call that the model is still writing: what it will do, and the end of what it will write. */
export function draftLines(
	{name, arguments: args, hide = redactKnown}: CallDraft,
	{width, palette, now}: ToolStyle,
): readonly string[] {
	const {lines} = args;
	const written = withoutOpenWord(args);
	const texts = maskArguments(written.texts, hide);
	const tail = hasSecrets(written.texts) ? '' : hide(written.tail).replace(keyLine, mask);
	const words = callWords(name, texts);
	const verb = callVerb(name);
	// Until the arguments fit, the words are the name and the raw arguments.
	const subject = words.verb === verb ? words.subject : '';
	const head = `${palette.accent(runningSign(now))} ${safeLine(verb)}`;
	const about = subject && ` ${safeLine(redactPositions(subject))}`;
	const end = palette.dim(lines > 0 ? ` … ${formatAmount(lines, 'line')}` : ' …');
	const room = Math.max(0, width - lineWidth(head + end));
	const last = lines === 0 || tail === '' ? [] : tail.replace(/\n$/, '').split('\n').slice(-shownLines);
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
	const shown = Object.fromEntries(
		Object.entries(texts).map(([name, text]) => {
			// What follows a text that was cut isn't kept.
			const isOpen = (within === 'value' && name === key) || text.length >= maxText;
			return [name, isOpen ? text.replace(/\S+$/, '').trimEnd() : text];
		}),
	);
	// The first word may be the rest of one that was cut.
	const whole = tail.length < maxTail ? tail : tail.replace(/^\S+/, '');
	return {texts: shown, tail: within === 'value' && texts[key] === undefined ? whole.replace(/\S+$/, '') : whole};
}
