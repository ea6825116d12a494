import {html} from 'hono/html';
import type {HtmlEscapedString} from 'hono/utils/html';

/** HTML in which every inserted value is escaped, except other markup. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

type Field = {
	readonly name: string;
	readonly label: string;
	readonly type?: 'text' | 'email' | 'password';
	/** What a password manager or a phone may fill in (HTML `autocomplete`). */
	readonly autocomplete: string;
	readonly value?: string;
	/** Whether it has the focus when the page opens: the first field, or the invalid one. */
	readonly autofocus?: boolean;
	/** One sentence, shown below the field. */
	readonly hint?: string;
	/** Whether it is invalid; the page's alert says why. */
	readonly invalid?: boolean;
	/** Whether it holds a code, without automatic capitals or corrections. */
	readonly code?: boolean;
};

/** Returns a field with its label. */
export function field({
	name,
	label,
	type = 'text',
	autocomplete,
	value = '',
	autofocus,
	hint,
	invalid,
	code,
}: Field): Markup {
	const described = [hint && `${name}-hint`, invalid && 'problem'].filter(Boolean).join(' ');
	return html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" required maxlength="256"
${autofocus ? html` autofocus` : ''}${invalid ? html` aria-invalid="true"` : ''}
${described ? html` aria-describedby="${described}"` : ''}
${code ? html` class="code" autocapitalize="none" autocorrect="off" spellcheck="false"` : ''}>
${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ''}`;
}

/** Returns a wait as text. */
export function waitText(seconds: number): string {
	const minutes = Math.ceil(seconds / 60);
	return seconds < 60 ? `${seconds} seconds` : minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** Returns a time to the second, ISO 8601 in UTC, for people and programs. */
export function timeOf(time: string): Markup {
	return html`<time datetime="${time}">${time.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
