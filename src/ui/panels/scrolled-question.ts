import {formatNumber} from '../../core/format.ts';
import type {SubjectDrawing} from '../../store/view-slice.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import type {drawQuestion} from './question.ts';

/** What scrolls of a question, and its keys, which stay in sight. */
type Scrolled = NonNullable<ReturnType<typeof drawQuestion>['scrolled']>;

type Style = {
	readonly columns: number;
	/** Rows of the panel. */
	readonly height: number;
	readonly palette: Palette;
	/** The name of the key that scrolls. */
	readonly key: string;
};

type Drawn = Pick<Style, 'columns' | 'palette'> & {readonly rows: readonly string[]};

/** All rows of subjects: to draw a long change takes a while. */
const drawn = new WeakMap<SubjectDrawing, Drawn>();

function rowsOf(subject: SubjectDrawing, {columns, palette}: Style): readonly string[] {
	const known = drawn.get(subject);
	if (known?.columns === columns && known.palette === palette) {
		return known.rows;
	}

	const {shown: rows} = subject.window({width: columns, palette, rows: Number.POSITIVE_INFINITY});
	drawn.set(subject, {columns, palette, rows});
	return rows;
}

/**
 * Returns how a question is drawn that a window has too few rows for: the question, what it is about and the facts scroll above
 * its answers. `last` is the offset of the last rows.
 */
export function scrollQuestion(
	{text, facts, list, short, label}: Scrolled,
	subject: SubjectDrawing | undefined,
	style: Style,
) {
	const {columns, height, palette, key} = style;
	const rows = [...text, ...(subject ? rowsOf(subject, style) : []), ...facts];
	const room = Math.max(0, height - 1 - (list?.length ?? 0));
	return {
		last: Math.max(0, rows.length - room),
		draw(offset: number): readonly string[] {
			const left = rows.length - room - offset;
			const count = left > 0 ? `…${formatNumber(left)}` : '';
			const more = count && ` ${count} ${key}`;
			const keys = list
				? [` ${more}`]
				: [`  ${short} ${label}${more}`, `  ${short}${more}`, `${short} ${count}`, short];
			const line = keys.find(each => lineWidth(each) <= columns) ?? short;
			return [...rows.slice(offset, offset + room), palette.dim(truncate(line, columns)), ...(list ?? [])].slice(
				-height,
			);
		},
	};
}
