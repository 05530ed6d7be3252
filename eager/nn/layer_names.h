// How layers that were given no name get one: Keras's rules.
//
//   UniqueName("MyDense");      // "my_dense", then "my_dense_1", …
#pragma once
#include <string>
#include <string_view>
#include <typeinfo>

namespace tandem::nn {

// "Dense" from a type's mangled name: without namespaces and template arguments.
std::string ClassName(const std::type_info& type);
// "MaxPooling2D" -> "max_pooling2d".
std::string SnakeCase(std::string_view class_name);
// Threads: safe.
std::string UniqueName(std::string_view class_name);

}  // namespace tandem::nn
