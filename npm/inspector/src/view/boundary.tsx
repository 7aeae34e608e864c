import { Component, type ReactNode } from "react";
import { problemOf } from "../model/document.js";
import { Failed } from "./states.js";

interface BoundaryProps {
  readonly name: string;
  readonly children: ReactNode;
}

/** What cannot be drawn costs its place and not the page. */
export class Boundary extends Component<BoundaryProps, { readonly thrown?: unknown }> {
  override state: { readonly thrown?: unknown } = {};

  static getDerivedStateFromError(thrown: unknown) {
    return { thrown };
  }

  override render(): ReactNode {
    const { name, children } = this.props;
    return "thrown" in this.state ? <Failed name={name} problem={problemOf(this.state.thrown)} /> : children;
  }
}
