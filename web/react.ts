// What the office uses of React. It is part of the wizard's first script, and the office's script imports it from there.
export {
  Children,
  createElement,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
export { Fragment, jsx, jsxs } from 'react/jsx-runtime'
export { flushSync } from 'react-dom'
export { createRoot, hydrateRoot } from 'react-dom/client'
