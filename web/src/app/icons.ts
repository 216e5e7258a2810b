// The navigation's icons. They are always shown with a label.

import ArrowLeftRight from '@lucide/svelte/icons/arrow-left-right';
import CalendarDays from '@lucide/svelte/icons/calendar-days';
import ChartCandlestick from '@lucide/svelte/icons/chart-candlestick';
import ChartColumn from '@lucide/svelte/icons/chart-column';
import ChartSpline from '@lucide/svelte/icons/chart-spline';
import CircleDot from '@lucide/svelte/icons/circle-dot';
import CircleOff from '@lucide/svelte/icons/circle-off';
import Download from '@lucide/svelte/icons/download';
import History from '@lucide/svelte/icons/history';
import Layers from '@lucide/svelte/icons/layers';
import ListChecks from '@lucide/svelte/icons/list-checks';
import NotebookPen from '@lucide/svelte/icons/notebook-pen';
import Plug from '@lucide/svelte/icons/plug';
import Scale from '@lucide/svelte/icons/scale';
import Settings from '@lucide/svelte/icons/settings';
import Shield from '@lucide/svelte/icons/shield';
import Sun from '@lucide/svelte/icons/sun';
import Tag from '@lucide/svelte/icons/tag';
import Trophy from '@lucide/svelte/icons/trophy';
import Upload from '@lucide/svelte/icons/upload';
import Wallet from '@lucide/svelte/icons/wallet';
import type { Component } from 'svelte';

export const icons: Record<string, Component<{ size?: number; 'aria-hidden'?: 'true' }>> = {
  '/': Sun,
  '/trades': ArrowLeftRight,
  '/positions': CircleDot,
  '/options': ChartSpline,
  '/calendar': CalendarDays,
  '/notes': NotebookPen,
  '/reports': ChartColumn,
  '/programs': Trophy,
  '/setups': Layers,
  '/tags': Tag,
  '/missed': CircleOff,
  '/routines': ListChecks,
  '/rules': Scale,
  '/accounts': Wallet,
  '/import': Upload,
  '/connections': Plug,
  '/prices': ChartCandlestick,
  '/history': History,
  '/export': Download,
  '/settings': Settings,
  '/admin': Shield,
};
