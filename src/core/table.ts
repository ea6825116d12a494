import type {Cell} from './cell.ts';

/** The cells of a table and how its columns share the window: spare columns are left out first, whole ones are never cut. */
export type TableContent = {
	readonly columns: readonly {
		readonly label: string;
		readonly align?: 'right';
		readonly spare?: boolean;
		readonly whole?: boolean | 'beside spare';
		readonly cut?: 'middle';
	}[];
	readonly rows: readonly (readonly Cell[])[];
	/** The heading of each row, if rows stand in groups. */
	readonly groups?: readonly string[];
};
