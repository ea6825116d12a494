import type {Palette} from '../text/style.ts';
import type {References} from './markdown-references.ts';

export type MarkdownOptions = {
	/** Cells that a line may take, 8 at least. */
	readonly width: number;
	readonly palette: Palette;
	/** True where the terminal understands hyperlinks (OSC 8). */
	readonly links?: boolean;
	/** The definitions so far of the links that name one. */
	readonly references?: References;
};
