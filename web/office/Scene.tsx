/** Decoration: hills, a low sun and an open door. */
export const Scene = () => (
  <svg
    className="scene"
    viewBox="0 0 480 600"
    preserveAspectRatio="xMidYMax slice"
    aria-hidden="true"
    focusable="false"
  >
    <path className="scene-sky" d="M0 0h480v600H0z" />
    <path
      className="scene-haze"
      d="M52 150h118a9 9 0 0 1 0 18H52a9 9 0 0 1 0-18zM108 122h96a8 8 0 0 1 0 16h-96a8 8 0 0 1 0-16zM318 232h92a8 8 0 0 1 0 16h-92a8 8 0 0 1 0-16z"
    />
    <circle className="scene-haze" cx="352" cy="440" r="132" />
    <circle className="scene-haze" cx="352" cy="440" r="92" />
    <circle className="scene-sun" cx="352" cy="440" r="50" />
    <path className="scene-far" d="M0 462c60-44 122-52 178-28 66 28 176 44 302-34v200H0z" />
    <path className="scene-hill" d="M0 498c84-34 160-30 232-8 84 26 160 20 248-10v120H0z" />
    <path className="scene-ground" d="M0 558c120-16 360-16 480 0v42H0z" />
    <path className="scene-light" d="M208 562h64l62 38H146z" />
    <path className="scene-frame" d="M198 562v-92a42 42 0 0 1 84 0v92z" />
    <path className="scene-sun" d="M208 562v-92a32 32 0 0 1 64 0v92z" />
    <path className="scene-light" d="M226 562v-82a14 14 0 0 1 28 0v82z" />
    <path className="scene-leaf" d="M208 562v-94c-3-17-15-28-34-32v138zM272 562v-94c3-17 15-28 34-32v138z" />
    <circle className="scene-sun" cx="181" cy="512" r="2.500" />
    <circle className="scene-sun" cx="299" cy="512" r="2.500" />
  </svg>
)
