import type {Run} from './runs.ts';

type Picture = {
	readonly title: string;
	/** What the picture shows, for those who can't see it. */
	readonly description: string;
	readonly columns: number;
	readonly rows: readonly (readonly Run[])[];
	/** Undefined while it is hidden. */
	readonly cursor: {readonly column: number; readonly row: number} | undefined;
	/** The terminal's own colours; dark ones by default. */
	readonly theme?: 'dark' | 'light';
};

const cell = {width: 8.4, height: 19};
const fontSize = 14;
/** Between the frame and the text. */
const padding = {x: 18, y: 12};
const titleBar = 36;

type Theme = Readonly<Record<'window' | 'bar' | 'edge' | 'title' | 'text' | 'dim', string>> & {
	/** The terminal's colors: black, red, green, yellow, blue, magenta, cyan, white, and their bright forms. */
	readonly colors: readonly string[];
};

const buttons = ['#ff5f57', '#febc2e', '#28c840'];

const themes: Readonly<Record<'dark' | 'light', Theme>> = {
	dark: {
		window: '#11151c',
		bar: '#1a202b',
		edge: '#2d3646',
		title: '#8b97a8',
		text: '#d5dce8',
		dim: '#7f8b9d',
		colors: [
			...['#5c6773', '#ff7b86', '#7fd88f', '#f2c572', '#79b8ff', '#d2a6ff', '#6fd3e0', '#d5dce8'],
			...['#7f8b9d', '#ff9aa2', '#9ce6a9', '#f7d794', '#a0cdff', '#e0c2ff', '#95e2ec', '#ffffff'],
		],
	},
	light: {
		window: '#ffffff',
		bar: '#eef1f5',
		edge: '#cfd6df',
		title: '#626b76',
		text: '#1f2630',
		dim: '#717a86',
		colors: [
			...['#1f2630', '#b3261e', '#116329', '#8a5300', '#0a4ea3', '#6f2dbd', '#0b6674', '#57606a'],
			...['#626b76', '#d1372c', '#1a7f37', '#a06500', '#2166c4', '#8a4bd6', '#118296', '#1f2630'],
		],
	},
};

const fonts =
	"ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/** Returns a terminal window as an SVG document without scripts and references. */
export function renderSvg({title, description, columns, rows, cursor, theme: name = 'dark'}: Picture): string {
	const theme = themes[name];
	const width = round(columns * cell.width + 2 * padding.x);
	const height = titleBar + rows.length * cell.height + 2 * padding.y;
	return `${[
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(description)}">`,
		`<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${theme.window}" stroke="${theme.edge}"/>`,
		`<path d="M0.5 ${titleBar}V10.5a10 10 0 0 1 10-10H${width - 10.5}a10 10 0 0 1 10 10V${titleBar}Z" fill="${theme.bar}" stroke="${theme.edge}"/>`,
		...buttons.map((color, index) => `<circle cx="${20 + index * 20}" cy="${titleBar / 2}" r="6" fill="${color}"/>`),
		`<g font-family="${fonts}" font-size="${fontSize}" fill="${theme.text}" xml:space="preserve">`,
		`<text x="${width / 2}" y="${titleBar / 2 + 4.5}" text-anchor="middle" font-size="13" fill="${theme.title}">${escapeXml(title)}</text>`,
		...rows.flatMap((runs, row) => runs.map(run => drawRun(run, row, theme))),
		...(cursor
			? [
					`<rect x="${left(cursor.column)}" y="${top(cursor.row)}" width="${cell.width}" height="${cell.height}" fill="${theme.text}" fill-opacity="0.5"/>`,
				]
			: []),
		'</g>',
		'</svg>',
	].join('\n')}\n`;
}

function drawRun(run: Run, row: number, theme: Theme): string {
	const fill = run.isInverse ? theme.window : colorOf(run, theme);
	const x = left(run.column);
	const length = round(run.width * cell.width);
	// Fonts leave gaps between the characters of a line.
	const [sign = ''] = /^(─+|━+|┄+)$/.exec(run.text) ?? [];
	if (sign) {
		const y = top(row) + cell.height / 2;
		const weight = {'━': ' stroke-width="2"', '┄': ' stroke-dasharray="4 3"'}[sign.charAt(0)] ?? '';
		return `<path d="M${x} ${y}h${length}" stroke="${fill}"${weight}/>`;
	}

	const attributes = [
		`x="${x}" y="${top(row) + 14}"`,
		// The columns stay aligned in any font.
		`textLength="${length}" lengthAdjust="spacingAndGlyphs"`,
		...(fill === theme.text ? [] : [`fill="${fill}"`]),
		...(run.isBold ? ['font-weight="bold"'] : []),
		...(run.isItalic ? ['font-style="italic"'] : []),
		...(run.isUnderlined ? ['text-decoration="underline"'] : []),
	];
	const band = run.isInverse
		? `<rect x="${x}" y="${top(row)}" width="${length}" height="${cell.height}" fill="${colorOf(run, theme)}"/>`
		: '';
	return `${band}<text ${attributes.join(' ')}>${escapeXml(run.text)}</text>`;
}

function colorOf({color, isDim}: Run, theme: Theme): string {
	return color === undefined ? (isDim ? theme.dim : theme.text) : (theme.colors[color] ?? theme.text);
}

function left(column: number): number {
	return round(padding.x + column * cell.width);
}

function top(row: number): number {
	return titleBar + padding.y + row * cell.height;
}

function round(value: number): number {
	return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
	const names: Readonly<Record<string, string>> = {'&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot'};
	return text.replace(/[&<>"]/g, character => `&${names[character]};`);
}
