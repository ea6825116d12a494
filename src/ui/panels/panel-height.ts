import type {AppState} from '../../store/store.ts';
import {waits} from '../../store/view-slice.ts';
import {askRows} from './ask-state.ts';
import {deviceRows} from './device/device-panel.tsx';
import {editorRows} from './edit-keys.ts';
import {fieldRows} from './field-keys.ts';
import {pickerRows} from './picker-state.ts';
import {questionRows} from './question.ts';
import {tableFrame} from './table-view.tsx';

/** Returns the rows that the open panel needs: 0 without one, 1 for one that waits beside a draft without the focus. */
export function panelHeight(
	{panel, filter, size: {columns, rows}}: Pick<AppState, 'panel' | 'filter' | 'size'>,
	hasFocus: boolean,
): number {
	if (panel && waits(panel) && !hasFocus) {
		return 1;
	}

	switch (panel?.kind) {
		case undefined:
			return 0;
		case 'pick':
			return pickerRows(panel, rows);
		case 'table':
			return panel.rows.length + tableFrame;
		case 'lines':
			return panel.lines(columns).length + 1;
		case 'device':
			return deviceRows(panel, columns);
		case 'edit':
			return editorRows(filter, columns);
		case 'ask':
			return askRows(panel, columns);
		case 'field':
			return fieldRows(panel, columns);
		case 'confirm':
			return questionRows(panel, columns);
		default:
			return 1;
	}
}
